import type { ImportNote } from '../../domain/description.ts';
import { openapiErrors } from '../../domain/error-messages/openapi.ts';
import type { HandrailError } from '../../domain/errors.ts';
import { JsonPathError, type Query } from '../../lib/json/json-path/parse-json-path.ts';
import { type Node, selectNodes } from '../../lib/json/json-path/select-nodes.ts';
import { pointerTo } from '../../lib/json/json-pointer.ts';
import { fieldOf, isObject, setField } from '../../lib/json/plain-object.ts';
import type { Overlay, OverlayAction } from './read-overlay.ts';

type Key = string | number;

/** Applies an overlay to a copy of a document; notes actions that found nothing to change. */
export function applyOverlay(
  document: unknown,
  overlay: Overlay,
): { document: unknown; notes: ImportNote[] } {
  // A wrapper around the document, so that the root can be replaced like anything else.
  const holder = { document: copyOf(document) };
  const notes: ImportNote[] = [];
  for (const [i, action] of overlay.actions.entries()) {
    const which = `Action ${i + 1} of the overlay ${overlay.name}`;
    const nodes = eachOnce(select(action.target, holder.document, which));
    if (nodes.length === 0) {
      notes.push({
        code: 'overlay_unused',
        message: `${which} changes nothing: the document has nothing at ${action.path}.`,
      });
      continue;
    }
    applyAction(action, nodes, holder, overlay, which);
  }
  return { document: holder.document, notes };
}

// YAML aliases put one object in several places, but a change is meant for one of them.
function copyOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

// A path can match the same place twice.
function eachOnce(nodes: readonly Node[]): Node[] {
  return [...new Map(nodes.map((node) => [pointerTo('', ...node.keys), node])).values()];
}

function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  for (const [i, key] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    if (typeof key === 'number' && typeof other === 'number' && key !== other) return key - other;
    if (key !== other) return String(key) < String(other) ? -1 : 1;
  }
  return a.length - b.length;
}

function select(query: Query, document: unknown, which: string): Node[] {
  try {
    return selectNodes(query, document);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw actionError(which, error.message);
  }
}

function actionError(which: string, why: string): HandrailError {
  return openapiErrors.actionNotApplicable({ action: which, reason: why });
}

function applyAction(
  { change, path }: OverlayAction,
  nodes: readonly Node[],
  holder: { document: unknown },
  overlay: Overlay,
  which: string,
): void {
  if (change.kind === 'remove') {
    // From the end, so that the indexes of earlier ones stay valid.
    for (const { keys } of nodes.toSorted((a, b) => compareKeys(b.keys, a.keys)))
      remove(holder.document, keys);
    return;
  }
  let value: unknown;
  if (change.kind === 'copy') {
    const sources = select(change.from, holder.document, which);
    if (sources.length !== 1)
      throw actionError(
        which,
        `${change.path} matches ${sources.length} values, but exactly one can be copied.`,
      );
    value = sources[0]!.value;
  } else value = change.value;
  const kinds = new Set(nodes.map((node) => kindOf(node.value)));
  if (overlay.isStrict && kinds.size > 1)
    throw actionError(which, `${path} matches values of several kinds (${[...kinds].join(', ')}).`);
  for (const { keys } of nodes) {
    const at = keys.length === 0 ? 'the document' : pointerTo('', ...keys);
    replace(holder, ['document', ...keys], (standing) =>
      // A value that is inserted in several places, or also exists elsewhere, must not be shared between them.
      combine(standing, copyOf(value), overlay.isStrict, at, which),
    );
  }
}

function kindOf(value: unknown): 'objects' | 'arrays' | 'plain values' {
  if (Array.isArray(value)) return 'arrays';
  return isObject(value) ? 'objects' : 'plain values';
}

function combine(standing: unknown, given: unknown, strict: boolean, at: string, which: string): unknown {
  // Appends to a list: the items of a list, or the single given item.
  if (Array.isArray(standing))
    return [...(standing as unknown[]), ...(Array.isArray(given) ? (given as unknown[]) : [given])];
  return merge(standing, given, strict, at, which);
}

/** https://spec.openapis.org/overlay/v1.1.0.html#action-object, the steps at its end. */
function merge(standing: unknown, given: unknown, strict: boolean, at: string, which: string): unknown {
  const kinds = [kindOf(standing), kindOf(given)];
  if (kinds[0] !== kinds[1]) {
    // An update that mirrors the document leaves the parts it does not change empty.
    if (given === null && !strict) return standing;
    if (strict) throw actionError(which, `it would replace ${kinds[0]} with ${kinds[1]}, at ${at}.`);
    return given;
  }
  if (Array.isArray(standing) && Array.isArray(given))
    return [...(standing as unknown[]), ...(given as unknown[])];
  if (!isObject(standing) || !isObject(given)) return given;
  const out: Record<string, unknown> = { ...standing };
  for (const [key, value] of Object.entries(given)) {
    if (key === '__proto__') continue;
    out[key] = Object.hasOwn(standing, key)
      ? merge(
          standing[key],
          value,
          strict,
          at === 'the document' ? pointerTo('', key) : pointerTo(at, key),
          which,
        )
      : value;
  }
  return out;
}

// A node may have been removed together with its parent.
function parentOf(root: unknown, keys: readonly Key[]): object | undefined {
  let value = root;
  for (const key of keys.slice(0, -1)) value = isHolder(value) ? fieldOf(value, key) : undefined;
  return isHolder(value) ? value : undefined;
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function remove(root: unknown, keys: readonly Key[]): void {
  const parent = parentOf(root, keys);
  const last = keys.at(-1)!;
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isObject(parent)) delete (parent as Record<string, unknown>)[last];
}

function replace(root: unknown, keys: readonly Key[], next: (standing: unknown) => unknown): void {
  const parent = parentOf(root, keys);
  const last = keys.at(-1)!;
  if (parent !== undefined && Object.hasOwn(parent, last))
    setField(parent, last, next(fieldOf(parent, last)));
}
