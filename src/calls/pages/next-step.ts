import { argumentNames, guessPagination, lettersOf } from '../../domain/pages/guess-pagination.ts';
import type { Operation, Pagination } from '../../domain/operation.ts';
import { keepWritten, writeMarkedText } from '../../lib/json/numbers/exact-numbers.ts';
import { isObject, objectOr, type PlainObject } from '../../lib/json/plain-object.ts';
import type { Following } from './find-next.ts';

/** The request for a page: the call's arguments with the pagination argument changed, or an address from the API. */
export interface PageStep {
  readonly arguments: PlainObject;
  readonly address: string | null;
  /** Identifies a step, so that repeating one is detected. */
  readonly key: string;
  /** The arguments that differ from the call, for a caller who wants to continue manually; null for an address. */
  readonly changed: PlainObject | null;
  /** Whether this may be the first page again, because nothing says whether pages start at 0 or 1. */
  readonly mayBeFirst?: boolean;
}

/**
 * What comes after a page: another page, the end (stated by the API or inferred), or a page that can't be requested.
 */
export type After =
  | { readonly step: PageStep }
  | { readonly end: 'stated' | 'inferred' }
  | { readonly lost: string };

/** What is known about the pages so far. */
export interface Walked {
  readonly step: PageStep;
  readonly records: readonly unknown[];
  readonly following: Following;
  /** Whether this is the first page. */
  readonly isFirst: boolean;
}

/** The first page: the call as the caller made it. */
export function firstStep(args: PlainObject): PageStep {
  return { arguments: args, address: null, key: JSON.stringify(args), changed: {} };
}

/**
 * How an operation paginates: as its document or the operator says, else as its names suggest. Arguments that the
 * operation doesn't have are left out.
 */
export function pagingOf(operation: Operation): Pagination | undefined {
  const { pagination } = operation;
  if (pagination === undefined) return guessPagination(operation);
  const { parameter, size, ...rest } = pagination;
  const has = (name: string | undefined): name is string =>
    name !== undefined &&
    operation.parameters.some((each) => each.name === name || name.startsWith(`${each.name}.`));
  return { ...rest, ...(has(parameter) && { parameter }), ...(has(size) && { size }) };
}

/** What comes after a page. */
export function nextStep(operation: Operation, paging: Pagination | undefined, walked: Walked): After {
  const { following } = walked;
  const { address, more } = following;
  if (more === false) return { end: 'stated' };
  // APIs that link to the next page and also send a cursor with each page send it with the last page as well.
  if (walked.step.address !== null && following.isWeak === true) return { end: 'stated' };
  const { token } = following;
  // An argument is preferred for a token; an address is followed as it is.
  const argument =
    token === undefined ? undefined : argumentFor(operation, paging, walked, token, following.tokenName);
  if (address !== undefined && (argument === undefined || paging?.kind === 'url' || paging?.kind === 'link'))
    return { step: { ...walked.step, address, key: address, changed: null } };
  if (token !== undefined && argument !== undefined) return withArgument(operation, walked, argument, token);
  if (token !== undefined && paging?.kind !== 'page' && paging?.kind !== 'offset')
    return {
      lost: `the reply has ${following.tokenName ?? 'something'} for the next page, but no argument takes it`,
    };
  // No address or token on a list that had them means the end.
  if (walked.step.address !== null || isAtToken(paging, walked)) return inferredEnd(more);
  switch (paging?.kind) {
    case 'page':
      return afterPage(operation, paging.parameter, walked);
    case 'offset':
      return afterOffset(operation, paging.parameter, walked);
    default:
      return afterLast(operation, paging, walked) ?? inferredEnd(more);
  }
}

/** Whether this page was requested with a value that isn't a number, so it can't be incremented. */
function isAtToken(paging: Pagination | undefined, { step }: Walked): boolean {
  const given = paging?.parameter === undefined ? undefined : givenAt(step.arguments, paging.parameter);
  return (
    (paging?.kind === 'page' || paging?.kind === 'offset') &&
    given !== undefined &&
    wholeNumber(given) === undefined
  );
}

function inferredEnd(more: boolean | undefined): After {
  return more === true
    ? { lost: 'the reply says that there is more, but not how to request it' }
    : { end: 'inferred' };
}

/** The argument that takes a token from a reply. */
function argumentFor(
  operation: Operation,
  paging: Pagination | undefined,
  { step }: Walked,
  token: string | number,
  tokenName = '',
): string | undefined {
  if (paging?.kind === 'graphql') return paging.parameter ?? graphqlVariable(operation, step.arguments);
  const parameter = paging?.parameter;
  const isPlace = paging?.kind === 'page' || paging?.kind === 'offset';
  // A page or an offset is a number: any other token is for a different argument.
  if (parameter !== undefined && (!isPlace || /^\d{1,15}$/.test(String(token)))) return parameter;
  const named = lettersOf(tokenName).replace(/^x(?=next)/, '');
  const wanted = new Set([named, named.replace(/^next/, ''), named.replace(/^nextpage/, '')]);
  const inputs = operation.parameters.filter(
    ({ in: place, fixed }) => (place === 'query' || place === 'body') && fixed === undefined,
  );
  const find = (fits: (letters: string) => boolean) =>
    inputs.find(({ name, key }) => fits(lettersOf(key ?? name)))?.name;
  return (
    find((letters) => letters !== '' && wanted.has(letters)) ??
    find((letters) => argumentNames.cursor.has(letters)) ??
    graphqlVariable(operation, step.arguments)
  );
}

/** The variable of a GraphQL query that takes a cursor, as `variables.NAME`. */
function graphqlVariable(operation: Operation, args: PlainObject): string | undefined {
  const named = (wire: string) => operation.parameters.find(({ name, key }) => (key ?? name) === wire)?.name;
  const [query, variables] = [named('query'), named('variables')];
  if (query === undefined) return operation.parameters.find(({ name }) => isCursorName(name))?.name;
  const text = args[query];
  if (typeof text !== 'string' || variables === undefined) return undefined;
  const start = text.slice(0, 20_000);
  // The variable passed as `after`, whatever its name; else one that is named like a cursor.
  const given = /\bafter\s{0,10}:\s{0,10}\$(\w{1,100})/.exec(start)?.[1];
  const variable =
    given ?? [...start.matchAll(/\$(\w{1,100})\s{0,10}:/g)].map(([, name]) => name!).find(isCursorName);
  return variable === undefined ? undefined : `${variables}.${variable}`;
}

function isCursorName(name: string): boolean {
  return /after$|cursor$/i.test(name) && !/before/i.test(name);
}

function withArgument(operation: Operation, walked: Walked, name: string, value: string | number): After {
  const { step } = walked;
  const dot = name.indexOf('.');
  const isInner = dot > 0 && !operation.parameters.some((each) => each.name === name);
  const given = typedFor(operation, name, value);
  const changed = isInner
    ? { [name.slice(0, dot)]: withInner(step.arguments[name.slice(0, dot)], name.slice(dot + 1), given) }
    : { [name]: given };
  const args = { ...step.arguments, ...changed };
  // An ID can exceed the precision of a number.
  if (!isInner && typeof given === 'number' && typeof value === 'string') keepWritten(args, name, value);
  return { step: { arguments: args, address: null, key: `${name}=${String(value)}`, changed } };
}

function withInner(held: unknown, key: string, value: string | number): unknown {
  // Variables may be given as a JSON string.
  if (typeof held === 'string') return JSON.stringify({ ...parsedObject(held), [key]: value });
  return { ...objectOr(held), [key]: value };
}

function parsedObject(text: string): PlainObject {
  try {
    return objectOr(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The value in the type that the argument's schema expects. */
function typedFor(operation: Operation, name: string, value: string | number): string | number {
  const type = schemaOf(operation, name)['type'];
  const types = Array.isArray(type) ? (type as unknown[]) : [type];
  if (typeof value === 'number') return types.includes('string') && !hasNumber(types) ? String(value) : value;
  return hasNumber(types) && !types.includes('string') && /^-?\d{1,40}$/.test(value) ? Number(value) : value;
}

/** The schema of an argument, or of a field of one. */
function schemaOf({ parameters }: Operation, name: string): PlainObject {
  const own = parameters.find((each) => each.name === name);
  if (own !== undefined) return own.schema;
  const outer = parameters.find((each) => name.startsWith(`${each.name}.`));
  return outer === undefined
    ? {}
    : objectOr(objectOr(outer.schema['properties'])[name.slice(outer.name.length + 1)]);
}

/** The value of an argument, or of a field of one. */
export function givenAt(args: PlainObject, name: string): unknown {
  const dot = name.indexOf('.');
  return Object.hasOwn(args, name) || dot < 0
    ? args[name]
    : objectOr(args[name.slice(0, dot)])[name.slice(dot + 1)];
}

function hasNumber(types: readonly unknown[]): boolean {
  return types.includes('integer') || types.includes('number');
}

function afterPage(operation: Operation, name: string | undefined, walked: Walked): After {
  if (name === undefined) return inferredEnd(walked.following.more);
  if (walked.records.length === 0 && walked.following.more !== true) return { end: 'inferred' };
  const { step, following, isFirst } = walked;
  const given = wholeNumber(givenAt(step.arguments, name));
  if (given !== undefined) return withArgument(operation, walked, name, given + 1);
  const first = isFirst ? (firstPage(operation, name) ?? following.page) : undefined;
  // If nothing says whether pages start at 0 or 1, the next one is requested as 1; if it repeats the first page, the
  // walk notices.
  if (first !== undefined) return withArgument(operation, walked, name, first + 1);
  const after = withArgument(operation, walked, name, 1);
  return 'step' in after ? { step: { ...after.step, mayBeFirst: true } } : after;
}

/** The number of the first page, according to the argument's own schema. */
function firstPage(operation: Operation, name: string): number | undefined {
  const schema = schemaOf(operation, name);
  const preset = operation.parameters.find((each) => each.name === name)?.default;
  const minimum = wholeNumber(schema['minimum']);
  return (
    wholeNumber(preset) ??
    wholeNumber(schema['default']) ??
    (minimum === 0 || minimum === 1 ? minimum : undefined)
  );
}

function afterOffset(operation: Operation, name: string | undefined, walked: Walked): After {
  if (name === undefined) return inferredEnd(walked.following.more);
  const { step, records } = walked;
  if (records.length === 0) return { end: 'inferred' };
  const preset = operation.parameters.find((each) => each.name === name)?.default;
  const first = wholeNumber(preset) ?? wholeNumber(schemaOf(operation, name)['default']) ?? 0;
  // Counts the records received, not the number requested: an API that returns fewer would otherwise be read with
  // gaps.
  const offset = (wholeNumber(givenAt(step.arguments, name)) ?? first) + records.length;
  return withArgument(operation, walked, name, offset);
}

/** For an argument that takes the last record of a page, such as `starting_after`. */
function afterLast(operation: Operation, paging: Pagination | undefined, walked: Walked): After | undefined {
  const name = paging?.parameter;
  const last = walked.records.at(-1);
  const { more } = walked.following;
  if (paging?.kind !== 'cursor' || name === undefined || !isObject(last)) return undefined;
  const { key = name } = operation.parameters.find((each) => each.name === name) ?? {};
  if (more !== true && !/^(?:startingafter|afterid|sinceid|lastid|fromid|startafter)$/.test(lettersOf(key)))
    return undefined;
  const id = last['id'] ?? last['_id'] ?? last['uuid'] ?? last['key'];
  if (typeof id === 'number') return withArgument(operation, walked, name, id);
  return typeof id === 'string' ? withArgument(operation, walked, name, writeMarkedText(id)) : undefined;
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
