import { bodyPlaceholder } from '../../domain/operation.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import { jsonText, writtenAs } from '../../lib/json/numbers/exact-numbers.ts';

/** A parsed body template: text, and placeholders that know whether they are inside a JSON string. */
export interface BodyTemplate {
  readonly parts: readonly (string | { readonly name: string; readonly quoted: boolean })[];
  readonly placeholders: readonly string[];
}

/** Reads HandsAI's `{{param}}` templates. */
export function parseBodyTemplate(template: string): BodyTemplate {
  const parts: (string | { name: string; quoted: boolean })[] = [];
  const placeholders: string[] = [];
  let at = 0;
  let quoted = false;
  for (const match of template.matchAll(bodyPlaceholder)) {
    const text = template.slice(at, match.index);
    if (text !== '') parts.push(text);
    quoted = endsInsideString(text, quoted);
    parts.push({ name: match[1]!, quoted });
    placeholders.push(match[1]!);
    at = match.index + match[0].length;
  }
  if (at < template.length) parts.push(template.slice(at));
  return { parts, placeholders };
}

/**
 * Fills a template. Inside quotes a string is JSON-escaped, and any other value is written as escaped JSON text; outside
 * quotes every value is written as JSON. A missing value becomes nothing inside quotes and `null` outside.
 */
export function fillBodyTemplate(
  template: BodyTemplate,
  values: Readonly<Record<string, JsonValue>>,
): string {
  let body = '';
  for (const part of template.parts) {
    if (typeof part === 'string') {
      body += part;
      continue;
    }
    const value = Object.hasOwn(values, part.name) ? values[part.name] : undefined;
    const digits = writtenAs(values, part.name);
    if (digits !== undefined) body += digits;
    else if (!part.quoted) body += value === undefined ? 'null' : jsonText(value);
    else if (value !== undefined)
      body += JSON.stringify(typeof value === 'string' ? value : jsonText(value)).slice(1, -1);
  }
  return body;
}

function endsInsideString(text: string, startsInside: boolean): boolean {
  let inside = startsInside;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\' && inside) i++;
    else if (text[i] === '"') inside = !inside;
  }
  return inside;
}
