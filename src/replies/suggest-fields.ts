import type { ReplyOutline } from './outline-reply.ts';

/** Which fields of a tool's replies to keep, and what that saves. */
export interface FieldSuggestion {
  readonly fields: readonly string[];
  /** JMESPath for the tool's `reply.select`. */
  readonly select: string;
  /** The share of a reply that is left out, from 0 to 1. */
  readonly saved: number;
}

// Fields that identify a record, best first.
const telling: readonly RegExp[] = [
  /^(?:id|uuid|guid|key|slug|number|sku|code)$/i,
  /^(?:name|title|label|login|username|display_?name|full_?name|subject|summary|headline)$/i,
  /^(?:status|state|type|kind|category|priority|severity)$/i,
  /^(?:email|url|html_?url|path|price|amount|total|quantity)$/i,
  /(?:[-_]id|Id)$/,
  /(?:name|title)$/i,
  /(?:status|state|type|date|_at|At)$/,
];

const maxFields = 4;
const minSaved = 0.3;
const plainTypes = new Set(['string', 'integer', 'number', 'boolean']);
// A field that makes up more of a record than this is its content, not a name.
const maxShare = 300;

/** Suggests fields to keep; null if that would save little, or if no field identifies the records. */
export function suggestFields(outline: ReplyOutline): FieldSuggestion | null {
  const plain = outline.fields.filter(({ type, share }) => plainTypes.has(type) && share <= maxShare);
  const chosen = telling
    .flatMap((pattern) => plain.filter(({ name }) => pattern.test(name)))
    .filter((field, at, all) => all.indexOf(field) === at)
    .slice(0, maxFields);
  const kept = chosen.reduce((sum, { share }) => sum + share, 0) / 1_000;
  const saved = Math.max(0, 1 - kept);
  if (chosen.length === 0 || saved < minSaved) return null;
  const fields = chosen.map(({ name }) => name);
  const members = fields.map((name) => `${identifier(name)}: ${identifier(name)}`).join(', ');
  const holders = outline.list === null ? [] : [...(outline.within ?? []), outline.list];
  const path = `${holders.map(identifier).join('.')}[]`;
  return { fields, select: `${path}.{${members}}`, saved };
}

/** A name in JMESPath syntax. */
function identifier(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
