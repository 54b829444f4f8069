import { isObject } from '../../../lib/json/plain-object.ts';
import { holdsByName, isContainer, isErrorWord, plainKey, roleOf } from './key-roles.ts';
import { documentIn } from './parse-error-body.ts';

/** A key and its text. */
export type LabelledText = readonly [key: string, text: string];

/** One thing that an error body says. */
export interface Statement {
  /** The input it is about, as the API names it; empty if it is about the whole request. */
  where: string;
  readonly reasons: string[];
  readonly codes: LabelledText[];
  readonly others: LabelledText[];
}

/** Everything that an error body says. */
export interface ErrorReading {
  readonly statements: readonly Statement[];
  /** For people reading logs: ids, times, documentation links. */
  readonly asides: readonly LabelledText[];
  /** How long to wait, as keys such as `retry_after` say it. */
  readonly waits: readonly LabelledText[];
  /** Whether the error was longer than the limits allow. */
  readonly isCut: boolean;
}

type Path = readonly (string | number)[];
type Scalar = string | number | boolean;

/** A part of an object that is read after the object's own statement. */
interface Child {
  readonly key: string;
  readonly value: unknown;
  /** The key is the name of an input. */
  readonly named: boolean;
}

const maxDepth = 40;
const maxValues = 5_000;
const maxStatements = 500;
const maxTextLength = 4_000;
const maxParts = 50;

/** Reads an error body of any shape; bodies that follow no convention are read by their structure alone. */
export function readStatements(value: unknown, status: number): ErrorReading {
  const reader = new Reader(status);
  reader.visit(value, []);
  return reader;
}

class Reader implements ErrorReading {
  readonly statements: Statement[] = [];
  readonly asides: LabelledText[] = [];
  readonly waits: LabelledText[] = [];
  isCut = false;
  readonly #status: string;
  #left = maxValues;

  constructor(status: number) {
    this.#status = String(status);
  }

  visit(value: unknown, path: Path): void {
    if (path.length > maxDepth || this.#left-- <= 0 || this.statements.length >= maxStatements) {
      this.isCut = true;
    } else if (isScalar(value)) {
      this.#visitScalar(value, path);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.slice(0, maxValues).entries()) this.visit(item, [...path, index]);
    } else if (isObject(value)) {
      this.#visitObject(value, path);
    }
  }

  /** A bare value: the path to it says what it is about. */
  #visitScalar(value: Scalar, path: Path): void {
    const text = textOf(value);
    if (text === '') return;
    const inner = typeof value === 'string' ? documentIn(value) : undefined;
    if (inner !== undefined && inner !== value) this.visit(inner, path);
    else this.#add({ ...blank(), where: placeOf(path), reasons: [text] });
  }

  #visitObject(object: Readonly<Record<string, unknown>>, path: Path): void {
    const entries = Object.entries(object).slice(0, maxValues);
    const pair = pairIn(entries);
    if (pair !== null) {
      this.#add({ ...blank(), where: placeOf(path), others: [pair] });
      return;
    }
    const parent = path.findLast((token) => typeof token === 'string');
    const named = parent !== undefined && typeof path.at(-1) === 'string' && holdsByName(parent);
    if (named && !isOneFault(entries)) {
      for (const [key, value] of entries) this.#visitNamed(key, value, path);
      return;
    }
    const builder = new StatementBuilder(path, this.#status);
    const larger: [string, unknown][] = [];
    for (const [key, given] of entries) {
      const value = readInside(given);
      if (isNothing(value)) continue;
      if (isScalar(value)) this.#note(builder, key, value);
      else larger.push([key, value]);
    }
    const children: Child[] = [];
    for (const [key, value] of larger) {
      if (isListOfScalars(value)) this.#visitList(builder, key, value, children);
      else if (isGivenValue(key) && builder.isFault()) builder.noteValue(key, briefly(value));
      else if (!this.#takesAttributes(builder, key, value)) children.push({ key, value, named: false });
    }
    if (builder.isFault() || builder.isHeadlineOf(children.map(({ key }) => key)))
      this.#add(builder.finish());
    else
      for (const [key, text] of builder.loose())
        this.#add({ ...blank(), where: placeOf(path, key), reasons: [text] });
    for (const { key, value, named: byName } of children) {
      if (byName) this.#visitNamed(key, value, path);
      else this.visit(value, [...path, key]);
    }
  }

  /** Merges an object that only qualifies its parent; false if it is more than that. */
  #takesAttributes(builder: StatementBuilder, key: string, value: unknown): boolean {
    const role = roleOf(key);
    if (role === 'aside') {
      this.asides.push([key, briefly(value)]);
      return true;
    }
    if (holdsByName(key)) return false;
    if (role.includes('reason') && isObject(value) && this.#takesMarkedText(builder, key, value)) return true;
    const attributes = attributesIn(value, key);
    if (attributes === null) return false;
    for (const [inner, each, label] of attributes) {
      if (isScalar(each)) this.#note(builder, inner, each, label);
      else builder.note(inner, pathText(each), label);
    }
    return true;
  }

  /** Takes a text that comes with its language, its code or the like; false if there is more to it. */
  #takesMarkedText(
    builder: StatementBuilder,
    key: string,
    object: Readonly<Record<string, unknown>>,
  ): boolean {
    const textKey = isScalar(object['value']) ? 'value' : 'text';
    const text = object[textKey];
    const marks = Object.entries(object).filter(([mark]) => mark !== textKey);
    if (!isScalar(text) || marks.length > 2 || !marks.every(([, mark]) => isScalar(mark) || isNothing(mark)))
      return false;
    builder.note(key, textOf(text), key);
    for (const [mark, value] of marks) if (isScalar(value)) this.#note(builder, mark, value);
    return true;
  }

  /** A value under the name of an input. */
  #visitNamed(key: string, given: unknown, path: Path): void {
    const value = readInside(given);
    if (isNothing(value)) return;
    if (isScalar(value)) {
      if (isWait(key)) this.waits.push([key, textOf(value)]);
      this.#add({ ...blank(), where: placeOf(path, key), reasons: [textOf(value)] });
    } else if (isListOfScalars(value)) {
      for (const each of value.slice(0, maxStatements))
        this.#add({ ...blank(), where: placeOf(path, key), reasons: [textOf(each)] });
    } else this.visit(value, [...path, key]);
  }

  /** A list of texts is either errors about its key, a list of errors, or a path. */
  #visitList(builder: StatementBuilder, key: string, list: readonly Scalar[], children: Child[]): void {
    const role = roleOf(key);
    if (role === 'field' || (role === 'maybe-field' && !hasWords(list))) {
      builder.note(key, plainKey(key).endsWith('s') ? listText(list) : pathText(list), key);
    } else if (isContainer(key) && (builder.hasAny() || plainKey(key).endsWith('s'))) {
      children.push({ key, value: list.slice(0, maxStatements), named: false });
    } else if (role === 'aside') builder.note(key, listText(list), key);
    else if (builder.hasAny() && !hasWords(list)) builder.note(key, listText(list), key);
    else children.push({ key, value: list, named: true });
  }

  #note(builder: StatementBuilder, key: string, value: Scalar, label = key): void {
    const text = textOf(value);
    if (isWait(key)) this.waits.push([key, text]);
    if (roleOf(key) === 'aside' || (plainKey(key) === 'id' && isOpaque(text)))
      this.asides.push([label, text]);
    else builder.note(key, text, label);
  }

  #add(statement: Statement): void {
    if (this.statements.length < maxStatements) this.statements.push(statement);
    else this.isCut = true;
  }
}

/** Collects what one object says while it is read. */
class StatementBuilder {
  readonly path: Path;
  readonly #status: string;
  readonly #reasons: string[] = [];
  readonly #maybeReasons: LabelledText[] = [];
  readonly #codes: LabelledText[] = [];
  readonly #fields: string[] = [];
  readonly #maybe: LabelledText[] = [];
  readonly #others: LabelledText[] = [];
  readonly #rows: LabelledText[] = [];
  readonly #dull: LabelledText[] = [];

  constructor(path: Path, status: string) {
    this.path = path;
    this.#status = status;
  }

  hasAny(): boolean {
    return this.isFault() || this.loose().length > 0 || this.#dull.length > 0;
  }

  /** Whether this object is one error; else each of its keys is separate. */
  isFault(): boolean {
    return (
      this.#reasons.length > 0 ||
      this.#codes.length > 0 ||
      (this.#maybeReasons.length > 0 && typeof this.path.at(-1) === 'number') ||
      this.#fields.length > 0 ||
      typeof this.path.at(-1) === 'number'
    );
  }

  /** Whether its title is about the errors that are listed below it, rather than an input named `title`. */
  isHeadlineOf(children: readonly string[]): boolean {
    return (
      this.path.length === 0 &&
      this.#maybeReasons.some(([key]) => isHeadlineKey(key)) &&
      children.some(isContainer)
    );
  }

  /** Notes the value that was rejected. */
  noteValue(label: string, text: string): void {
    if (text !== '') this.#others.push([label, text]);
  }

  loose(): readonly LabelledText[] {
    return [...this.#maybeReasons, ...this.#maybe, ...this.#others, ...this.#rows];
  }

  note(key: string, text: string, label: string): void {
    if (text === '') return;
    // Already clear from the status line or from the fact that this is an error.
    if (isRedundant(key, text, this.#status)) {
      this.#dull.push([label, text]);
      return;
    }
    switch (roleOf(key)) {
      case 'reason':
        this.#reasons.push(text);
        break;
      case 'maybe-reason':
        this.#maybeReasons.push([label, text]);
        break;
      case 'reason-or-code':
        if (!isWord(text)) this.#reasons.push(text);
        else if (label === key) this.#codes.push([label, text]);
        else this.#others.push([label, text]);
        break;
      case 'code':
        if (!isWord(text) && text.length > 60) this.#reasons.push(text);
        else this.#codes.push([label, text]);
        break;
      case 'field':
        // Lines and columns of a document are numbers.
        if (/^\d+$/.test(text)) this.#others.push([label, text]);
        else this.#fields.push(text);
        break;
      case 'maybe-field':
        this.#maybe.push([label, text]);
        break;
      case 'row':
        if (/^\d{1,9}$/.test(text)) this.#rows.push([label, text]);
        else this.#others.push([label, text]);
        break;
      default:
        this.#others.push([label, text]);
    }
  }

  finish(): Statement {
    const others = this.#others.slice(0, maxParts);
    let codes = this.#codes;
    const fields = [...this.#fields];
    const inside = this.path.length > 0;
    if (fields.length === 0 && inside) {
      const [maybe, ...rest] = this.#maybe;
      if (maybe !== undefined) fields.push(maybe[1]);
      others.push(...rest);
    } else others.push(...this.#maybe);
    // In a list of inputs, an error's "name" is the input's name; elsewhere it is the error's own.
    const name = codes.find(([label]) => plainKey(label) === 'name');
    const reasons = this.#reasons.length + this.#maybeReasons.length;
    if (fields.length === 0 && name !== undefined && !isErrorName(name[1])) {
      if (typeof this.path.at(-1) === 'number' && (reasons > 0 || codes.length > 1)) {
        fields.push(name[1]);
        codes = codes.filter((code) => code !== name);
      }
    }
    const place = placeOf(this.path);
    const field = fields.join(', ');
    // A line with a column is a place in a query or document.
    const isRow = reasons > 0 && !others.some(([label]) => plainKey(label) === 'column');
    const [row] = isRow ? this.#rows : [];
    others.push(...(isRow ? this.#rows.slice(1) : this.#rows));
    const input = joinPlaces(place, field);
    return {
      where: row === undefined ? input : [`${row[0]} ${row[1]}`, input].filter(Boolean).join(', '),
      reasons: [...this.#maybeReasons.map(([, text]) => text), ...this.#reasons],
      codes: codes.slice(0, maxParts),
      others,
    };
  }
}

function joinPlaces(place: string, field: string): string {
  if (field === '') return place;
  return place === '' || field === place || field.startsWith(place) || place.endsWith(field)
    ? field.length >= place.length || place === ''
      ? field
      : place
    : `${place}: ${field}`;
}

/** `items[2].price`, without the surrounding containers. A given `key` counts even if it is named like a container. */
function placeOf(path: Path, key?: string): string {
  let start = 0;
  let holder = '';
  for (; start < path.length; start++) {
    const token = path[start]!;
    if (typeof token === 'number') continue;
    // Keys below a map of errors by input are input names, even if they look like containers.
    if (!isContainer(token) || (holdsByName(holder) && !isErrorWord(token))) break;
    holder = token;
  }
  let end = path.length;
  // A trailing index counts errors, not inputs; so does a list of errors below a name.
  if (key === undefined) while (end > start && isCount(path[end - 1]!)) end--;
  const shown = [...path.slice(start, end), ...(key === undefined ? [] : [key])];
  return pathText(shown.filter((token, index) => index === 0 || !isErrorsMark(token)));
}

function isCount(token: string | number): boolean {
  return typeof token === 'number' || isErrorWord(token);
}

/** The key some frameworks use for errors about the object itself. */
function isErrorsMark(token: string | number): boolean {
  return token === '_errors' || token === '$errors';
}

function pathText(tokens: readonly Scalar[]): string {
  let path = '';
  for (const token of tokens) {
    const text = String(token);
    path += /^\d+$/.test(text) ? `[${text}]` : path === '' ? text : `.${text}`;
  }
  return path.slice(0, 500);
}

/** Whether an object under a name such as `errors` is one error rather than a map of errors by input. */
function isOneFault(entries: readonly [string, unknown][]): boolean {
  const scalars = entries.filter(([, value]) => isScalar(value));
  return (
    scalars.some(([key]) => roleOf(key) === 'field') &&
    scalars.some(([key]) => roleOf(key).includes('reason'))
  );
}

/**
 * The values of an object that only qualifies its parent: scalars and paths, none of which describes a problem. Null for
 * any other value.
 */
function attributesIn(
  value: unknown,
  label: string,
  depth = 3,
): [key: string, value: Scalar | readonly Scalar[], label: string][] | null {
  if (!isObject(value) || depth === 0) return null;
  const entries = Object.entries(value).filter(([, inner]) => !isNothing(inner));
  if (entries.length === 0 || entries.length > 20) return null;
  const found: [string, Scalar | readonly Scalar[], string][] = [];
  for (const [key, inner] of entries) {
    const role = roleOf(key);
    if (isListOfScalars(inner) && (role === 'field' || role === 'maybe-field')) {
      found.push([key, inner, `${label}.${key}`]);
    } else if (isScalar(inner)) {
      const isWords = role === 'reason' || role === 'maybe-reason' || !isWord(textOf(inner));
      if (isWords && role !== 'field' && role !== 'maybe-field' && role !== 'other' && role !== 'aside')
        return null;
      found.push([key, inner, `${label}.${key}`]);
    } else {
      const below = attributesIn(inner, `${label}.${key}`, depth - 1);
      if (below === null) return null;
      found.push(...below);
    }
  }
  return found.some(([key]) => roleOf(key) !== 'other') ? found : null;
}

function readInside(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return documentIn(value) ?? value;
}

function isRedundant(key: string, text: string, status: string): boolean {
  const plain = plainKey(key);
  if (text === status)
    return /^(?:code|status|statuscode|httpstatus|httpcode|httpstatuscode|errorcode)$/.test(plain);
  if (/^(?:success|ok|succeeded|successful|issuccess|error|iserror|haserrors|status|result)$/.test(plain))
    return /^(?:true|false|error|errors|err|fail|failed|failure|nok)$/i.test(text);
  if (plain === 'type' || plain === 'object' || plain === 'kind')
    return /^(?:error|errors|error[._]?list|about:blank|status)$/i.test(text);
  return false;
}

function isHeadlineKey(key: string): boolean {
  return /^(?:title|summary|description)$/.test(plainKey(key));
}

function isGivenValue(key: string): boolean {
  return /^(?:input|value|rejectedvalue|invalidvalue|received|receivedvalue|actual|given)$/.test(
    plainKey(key),
  );
}

function isErrorName(text: string): boolean {
  return /^[A-Z0-9_]+$/.test(text) || /(?:error|exception|fault|failure)$/i.test(text);
}

function isWait(key: string): boolean {
  return /^(?:retryafter|retryafterseconds|retryaftersec|retryafterms|retryaftermilliseconds|retryin|retrydelay|waitseconds|backoff|secondsuntilreset|resetin|resetat|resetafter|retryat)$/.test(
    plainKey(key),
  );
}

/** Whether a text is an opaque id. */
function isOpaque(text: string): boolean {
  return (
    /^\d+$/.test(text) || /^[0-9a-f-]{16,}$/i.test(text) || (text.length > 12 && /\d.*\d.*\d/.test(text))
  );
}

/** A short form of a value that no one has to act on. */
function briefly(value: unknown, left = { words: 12 }, depth = 3): string {
  if (isScalar(value)) return left.words-- > 0 ? textOf(value) : '';
  if (typeof value !== 'object' || value === null || depth === 0) return '';
  return Object.values(value)
    .slice(0, 12)
    .map((inner) => briefly(inner, left, depth - 1))
    .filter((text) => text !== '')
    .join(', ');
}

/** Whether a text is a name rather than a sentence. */
function isWord(text: string): boolean {
  return text.length <= 120 && !/\s/.test(text.trim());
}

function hasWords(list: readonly Scalar[]): boolean {
  return list.some((each) => typeof each === 'string' && !isWord(each));
}

function listText(list: readonly Scalar[]): string {
  return list.slice(0, maxParts).map(textOf).join(', ');
}

function textOf(value: Scalar): string {
  return String(value).slice(0, maxTextLength).trim();
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isListOfScalars(value: unknown): value is readonly Scalar[] {
  return Array.isArray(value) && value.length > 0 && value.every(isScalar);
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _key in value) return false;
  return true;
}

function blank(): Statement {
  return { where: '', reasons: [], codes: [], others: [] };
}

/** The pair in an object that is just a name and a value, such as `{"name": "limit", "value": 10}`. */
function pairIn([first, second, ...others]: readonly [string, unknown][]): LabelledText | null {
  if (first === undefined || second === undefined || others.length > 0) return null;
  const [[firstKey, name], [secondKey, value]] = [first, second];
  const isPair = /^(?:key|name|parameter|param)$/.test(plainKey(firstKey)) && plainKey(secondKey) === 'value';
  return isPair && isScalar(name) && isScalar(value) ? [textOf(name), textOf(value)] : null;
}
