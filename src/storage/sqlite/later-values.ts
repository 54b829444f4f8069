import {
  firstLayout,
  laterFieldNames,
  laterFields,
  type LaterFieldName,
  type LaterFields,
  laterTermNames,
  type LaterTermName,
  layoutOf,
  withoutLaterFields,
} from '../call-layout.ts';
import { arrayOr, objectOr } from '../../lib/json/plain-object.ts';
import { storable } from '../call-rows.ts';
import { TermCounts } from './term-counts.ts';

/** For each field, the calls that have it by their place in the segment. */
type Values = Partial<Record<LaterFieldName, [call: number, value: unknown][]>>;

/**
 * The fields that came after layout 1, of the calls of a segment under construction. Only calls that have such a field
 * take room for it: one without any costs what it did before the field was thought of.
 */
export class LaterValues {
  #values: Values = {};
  #counts: Partial<Record<LaterTermName, TermCounts>> = {};
  #layout = firstLayout;

  get layout(): number {
    return this.#layout;
  }

  add(call: number, record: LaterFields): void {
    const layout = layoutOf(record);
    if (layout === firstLayout) return;
    if (layout > this.#layout) this.#layout = layout;
    for (const name of laterFieldNames)
      if (record[name] !== laterFields[name].absent)
        (this.#values[name] ??= []).push([call, storableValue(record[name])]);
    for (const name of laterTermNames)
      if (record[name] !== laterFields[name].absent)
        (this.#counts[name] ??= new TermCounts()).add(storableValue(record[name]), 1);
  }

  /** Null when no call has any. */
  text(): string | null {
    return this.#layout === firstLayout ? null : JSON.stringify(this.#values);
  }

  /** Their parts of the JSON of the segment's terms. */
  terms(): string[] {
    return laterTermNames.flatMap((name) => this.#counts[name]?.text(name) ?? []);
  }

  clear(): void {
    if (this.#layout === firstLayout) return;
    this.#values = {};
    this.#counts = {};
    this.#layout = firstLayout;
  }
}

/** Reads what `text` wrote: the later fields of a call by its place in the segment. */
export function readLaterValues(text: string | null): (call: number) => LaterFields {
  if (text === null) return () => withoutLaterFields;
  const values = objectOr(JSON.parse(text));
  const byCall = new Map<number, LaterFields>();
  for (const name of laterFieldNames)
    for (const entry of arrayOr(values[name])) {
      const [call, value] = arrayOr(entry);
      if (typeof call !== 'number') throw new Error(`The field ${name} of a segment is damaged.`);
      byCall.set(call, Object.assign({}, byCall.get(call) ?? withoutLaterFields, { [name]: value }));
    }
  return (call) => byCall.get(call) ?? withoutLaterFields;
}

function storableValue(value: LaterFields[LaterFieldName]): LaterFields[LaterFieldName] {
  return typeof value === 'string' ? storable(value) : value;
}
