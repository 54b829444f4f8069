/** What is wrong with a URI template, as a phrase that follows its name. */
export class UriTemplateError extends Error {}

/** A URI template (https://www.rfc-editor.org/rfc/rfc6570, without `;` and `{name:3}`) for parsing URIs. */
export interface UriTemplate {
  readonly names: readonly string[];
  /** The variables that every URI of this template must have. */
  readonly requiredNames: readonly string[];
  /**
   * The values of the variables in a URI, or null if the URI doesn't match. Each value is a list, split at
   * commas and repeated query names; variables that the URI leaves out, as a query may, are absent.
   */
  match(uri: string): ReadonlyMap<string, readonly string[]> | null;
}

const operators = ['', '+', '#', '/', '.', '?', '&'] as const;

interface Expression {
  readonly operator: (typeof operators)[number];
  readonly names: readonly string[];
  /** The separators between values of a list, and between names. */
  readonly separator: string;
}

const maxUriLength = 65_536;

/** Parses a template, or throws a UriTemplateError. */
export function parseUriTemplate(template: string): UriTemplate {
  const parts = partsOf(template);
  const expressions = parts.filter((part) => typeof part !== 'string');
  const names = expressions.flatMap((expression) => expression.names);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UriTemplateError(`uses the variable {${twice}} twice`);
  return {
    names,
    requiredNames: expressions.filter(isRequired).flatMap((expression) => expression.names),
    match: (uri) => (uri.length > maxUriLength ? null : matchParts(parts, uri)),
  };
}

const isRequired = ({ operator }: Expression) => operator === '' || operator === '+';

function partsOf(template: string): (string | Expression)[] {
  const parts: (string | Expression)[] = [];
  for (const [text, inside] of template.matchAll(/\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    if (text === '{' || text === '}') throw new UriTemplateError(`has an unmatched "${text}"`);
    const last = parts.at(-1);
    if (inside === undefined) parts.push(text);
    else {
      const expression = expressionOf(inside);
      // There would be no way to know where one ends and the other starts.
      if (typeof last === 'object' && isRequired(expression))
        throw new UriTemplateError(`needs something between two variables, before {${inside}}`);
      parts.push(expression);
    }
  }
  return parts;
}

function expressionOf(inside: string): Expression {
  const [, sign, list] = /^([+#/.?&]?)(.*)$/s.exec(inside)!;
  const operator = operators.find((known) => known === sign) ?? '';
  const names = list!.split(',').map((name) => name.replace(/\*$/, ''));
  // API parameters have names in any language.
  if (names.some((name) => !/^[\p{L}\p{N}_.%$[\]-]+$/u.test(name)))
    throw new UriTemplateError(`has a variable that cannot be read: {${inside}}`);
  const inPath = (operator === '/' || operator === '.') && (names.length > 1 || list!.endsWith('*'));
  return { operator, names, separator: inPath ? operator : ',' };
}

// Each variable ends at the first character of what follows it, so any URI is parsed in one pass.
function matchParts(parts: readonly (string | Expression)[], uri: string) {
  const found: TemplateValues = new Map();
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'string') {
      if (!uri.startsWith(part, at)) return null;
      at += part.length;
      continue;
    }
    const { operator } = part;
    const end = endOf(parts, index, uri, at);
    if (end < at) return null;
    const text = uri.slice(at, end);
    at = end;
    if (isRequired(part) ? text === '' : text !== '' && text[0] !== operator) return null;
    if (text === '') continue;
    const value = isRequired(part) ? text : text.slice(1);
    const take = operator === '?' || operator === '&' ? takePairs : takeValues;
    if (!take(part, value, found)) return null;
  }
  return at === uri.length ? found : null;
}

function endOf(parts: readonly (string | Expression)[], index: number, uri: string, at: number): number {
  const next = parts[index + 1];
  if (next === undefined) return uri.length;
  if (typeof next === 'string')
    return index + 2 === parts.length ? uri.length - next.length : uri.indexOf(next, at);
  const first = uri.indexOf(next.operator, at);
  return first === -1 ? endOf(parts, index + 1, uri, at) : first;
}

type TemplateValues = Map<string, readonly string[]>;

function takeValues(
  { operator, names, separator }: Expression,
  text: string,
  found: TemplateValues,
): boolean {
  const pieces = text.split(separator);
  const isReserved = operator === '+' || operator === '#';
  if (!isReserved && pieces.some((piece) => /[/?#]/.test(piece))) return false;
  if (names.length > 1 && pieces.length > names.length) return false;
  if (names.length === 1) found.set(names[0]!, pieces.map(decode));
  else pieces.forEach((piece, at) => found.set(names[at]!, [decode(piece)]));
  return true;
}

function takePairs({ names }: Expression, text: string, found: TemplateValues): boolean {
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (!names.includes(name)) return false;
    const values =
      equals === -1
        ? ['']
        : pair
            .slice(equals + 1)
            .split(',')
            .map(decode);
    found.set(name, [...(found.get(name) ?? []), ...values]);
  }
  return true;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
