import { parseMarked, writeMarked, writeMarkedText } from '../../lib/json/numbers/exact-numbers.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import type { ReplyMapping } from '../../domain/tool.ts';
import { readSelect } from '../../lib/json/select/select-part.ts';
import { writeJson } from '../../lib/json/select/write-json.ts';
import { splitTemplate, type TemplatePart } from '../../lib/json/text-template.ts';
import { OverBudget, type WorkBudget } from '../../lib/work-budget.ts';
import { objectOr } from '../../lib/json/plain-object.ts';

/** A reply's text as shaped by its tool's mapping, with notes about what was done. */
export interface ShapedText {
  readonly text: string;
  readonly notes: readonly string[];
}

/** Whether a mapping changes replies at all. */
export function shapes({ select, template, maxBytes }: ReplyMapping): boolean {
  return select !== undefined || template !== undefined || maxBytes !== undefined;
}

/**
 * Selects, fills the template and truncates, in this order. Text that is not JSON is only truncated. Throws `OverBudget`
 * if that exceeds the budget.
 */
export function shapeText(mapping: ReplyMapping, text: string, budget: WorkBudget): ShapedText {
  const notes: string[] = [];
  let shaped = text;
  let value = parse(text);
  if (mapping.select !== undefined || mapping.template !== undefined) {
    if (value === undefined) {
      notes.push('[The reply is not JSON, so it is shown unchanged.]');
    } else {
      value = mapping.select === undefined ? value : run(mapping.select, value, budget);
      shaped =
        mapping.template === undefined
          ? toText(value, budget)
          : fill(splitTemplate(mapping.template), value, budget);
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

function run(select: string, value: unknown, budget: WorkBudget): unknown {
  try {
    return readSelect(select)(value, budget) ?? null;
  } catch (error) {
    if (error instanceof OverBudget) throw error;
    const why = error instanceof Error ? error.message : 'it cannot be evaluated';
    throw pipelineErrors.replyDoesNotFitShape({ reason: why });
  }
}

function toText(value: unknown, budget: WorkBudget): string {
  return typeof value === 'string' ? writeMarkedText(value) : writeMarked(writeJson(value, budget));
}

/**
 * Fills a text with `{{expression}}` placeholders; expressions are those of `select`. A list is filled item by item,
 * one line each.
 */
function fill(parts: readonly TemplatePart[], value: unknown, budget: WorkBudget): string {
  if (Array.isArray(value)) return value.map((item) => fillOne(parts, item, budget)).join('\n');
  return fillOne(parts, value, budget);
}

function fillOne(parts: readonly TemplatePart[], value: unknown, budget: WorkBudget): string {
  return parts
    .map((part) => {
      const found = 'text' in part ? part.text : run(part.expression, value, budget);
      const text = found === null ? '' : toText(found, budget);
      budget.spend(1 + text.length / 16, text.length);
      return text;
    })
    .join('');
}

/** A possibly shortened text; `note` says how it was shortened, or is null. */
interface CutText {
  readonly text: string;
  readonly note: string | null;
}

/**
 * Shortens a text to at most `maxBytes` at a safe place: a list loses its last items and stays valid JSON, other text
 * ends at a line or word. `value` is the parsed JSON of the text, if it is JSON.
 */
function cutText(text: string, value: unknown, maxBytes: number): CutText {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { text, note: null };
  const list = value === undefined ? null : cutList(value, maxBytes);
  if (list !== null) return list;
  const end = safeEnd(text, maxBytes);
  return {
    text: text.slice(0, end),
    note: `[Truncated: the first ${Buffer.byteLength(text.slice(0, end))} of ${bytes} bytes. Ask for less, or use other arguments to get the rest.]`,
  };
}

/** Keeps as many items of the list, or of the longest list in an object, as fit. */
function cutList(value: unknown, maxBytes: number): CutText | null {
  const place = longestList(value);
  if (place === null) return null;
  const { list, name } = place;
  const textOf = (count: number) => {
    const shorter = list.slice(0, count);
    return writeMarked(JSON.stringify(name === null ? shorter : { ...objectOr(value), [name]: shorter }));
  };
  if (Buffer.byteLength(textOf(0)) > maxBytes) return null;
  let fits = 0;
  let tooMany = list.length;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (Buffer.byteLength(textOf(middle)) <= maxBytes) fits = middle;
    else tooMany = middle;
  }
  if (fits === 0) return null;
  const where = name === null ? '' : ` of "${name}"`;
  return {
    text: textOf(fits),
    note: `[Truncated: the first ${fits} of ${list.length} items${where}. Ask for less, or use other arguments to get the rest.]`,
  };
}

function longestList(
  value: unknown,
): { readonly list: readonly unknown[]; readonly name: string | null } | null {
  if (Array.isArray(value)) return { list: value, name: null };
  if (typeof value !== 'object' || value === null) return null;
  let found: { list: readonly unknown[]; name: string } | null = null;
  for (const [name, inner] of Object.entries(value)) {
    if (Array.isArray(inner) && inner.length > (found?.list.length ?? 0)) found = { list: inner, name };
  }
  return found;
}

/** Where to end a text within the byte limit: after a line, else after a word, else between characters. */
function safeEnd(text: string, maxBytes: number): number {
  let end = Math.min(text.length, maxBytes);
  while (end > 0 && Buffer.byteLength(text.slice(0, end)) > maxBytes) {
    end -= Math.max(1, Math.ceil((Buffer.byteLength(text.slice(0, end)) - maxBytes) / 4));
  }
  if (end > 0 && /[\ud800-\udbff]/.test(text[end - 1]!)) end--;
  const room = Math.floor(end * 0.8);
  const line = text.lastIndexOf('\n', end - 1);
  if (line >= room) return line;
  const space = text.lastIndexOf(' ', end - 1);
  return space >= room ? space : end;
}
