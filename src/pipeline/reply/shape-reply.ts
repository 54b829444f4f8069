import { parseMarked, writeMarked, writeMarkedText } from '../../lib/json/numbers/exact-numbers.ts';
import { HandrailError } from '../../domain/errors.ts';
import type { ReplyMapping } from '../../domain/tool.ts';
import { readSelect, type SelectPart } from '../../lib/json/select-part.ts';
import { splitTemplate } from '../../lib/json/text-template.ts';
import { cutText } from './cut-text.ts';

/** A reply's text as its tool wants it, with what has to be said about that. */
export interface ShapedText {
  readonly text: string;
  readonly notes: readonly string[];
}

/** Whether a mapping changes replies at all. */
export function shapes({ select, template, maxBytes }: ReplyMapping): boolean {
  return select !== undefined || template !== undefined || maxBytes !== undefined;
}

/** Selects, fills the template and cuts, in this order. Text that is no JSON is only cut. */
export function shapeText(mapping: ReplyMapping, text: string): ShapedText {
  const notes: string[] = [];
  let shaped = text;
  let value = parse(text);
  if (mapping.select !== undefined || mapping.template !== undefined) {
    if (value === undefined) {
      notes.push('[The reply is not JSON, so it is shown as it came.]');
    } else {
      value = mapping.select === undefined ? value : run(readSelect(mapping.select), value);
      shaped = mapping.template === undefined ? toText(value) : fill(readTemplate(mapping.template), value);
      if (mapping.template !== undefined) value = undefined;
    }
  }
  if (mapping.maxBytes !== undefined) {
    const cut = cutText(shaped, typeof value === 'string' ? undefined : value, mapping.maxBytes);
    shaped = cut.text;
    if (cut.note !== null) notes.push(cut.note);
  }
  return { text: shaped, notes };
}

function parse(text: string): unknown {
  try {
    return parseMarked(text);
  } catch {
    return undefined;
  }
}

function run(select: SelectPart, value: unknown): unknown {
  try {
    return select(value) ?? null;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be evaluated';
    throw new HandrailError(
      'reply_invalid',
      `The reply does not fit how this tool shapes it (${why}); its operator should check that. Retrying will not help.`,
    );
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? writeMarkedText(value) : writeMarked(JSON.stringify(value) ?? 'null');
}

type TemplatePart = { readonly text: string } | { readonly select: SelectPart };

/** Text with `{{expression}}` in it; an expression is what `select` takes, and `{{@}}` is the whole. */
function readTemplate(template: string): readonly TemplatePart[] {
  return splitTemplate(template).map((part) =>
    'text' in part ? part : { select: readSelect(part.expression) },
  );
}

/** A list is filled item by item, one line each. */
function fill(parts: readonly TemplatePart[], value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => fillOne(parts, item)).join('\n');
  return fillOne(parts, value);
}

function fillOne(parts: readonly TemplatePart[], value: unknown): string {
  return parts
    .map((part) => {
      if ('text' in part) return part.text;
      const found = run(part.select, value);
      return found === null ? '' : toText(found);
    })
    .join('');
}
