import { type Api, identityHeaders } from '../api.ts';
import { isIdentifyingHeader } from '../fields/header-names.ts';
import type { Operation, Parameter, ParameterPlace } from '../operation.ts';
import { secretPlaces } from '../secret-fields.ts';
import type { Tool } from '../tool.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

// What an operator set always wins: no argument may duplicate or override it. Servers match names loosely (letter case,
// `a[]`, `a.b` for `a_b`), so names are compared loosely here too.

/** The part of an API that sets values in its requests. */
export type FillingApi = Pick<Api, 'auth' | 'headers' | 'allowHeaders' | 'baseUrl' | 'identity'>;

/** Whether a name, as a server may interpret it, is one that the operator has set. */
export type IsHeld = (name: string) => boolean;

/** The names in a request that arguments cannot set, by place. */
export interface HeldNames {
  readonly header: IsHeld;
  readonly query: IsHeld;
  readonly cookie: IsHeld;
  readonly body: IsHeld;
}

/** An input that is removed from a tool, and why. */
export interface HeldParameter {
  readonly parameter: Parameter;
  readonly why: string;
}

const never: IsHeld = () => false;
const always: IsHeld = () => true;

/** The names in an operation's requests that are set by the operator. Runs when the registry changes, never per call. */
export function heldNames(api: FillingApi, operation: Operation): HeldNames {
  const { held } = placesOf(api);
  const set = operation.parameters.filter(isSetByOperator);
  const inPath = queryNames(operation.path);
  const inBase = operation.baseUrl === undefined ? [] : queryNames(operation.baseUrl);
  // Most operations add nothing to their API's names.
  if (set.length === 0 && inPath.length === 0 && inBase.length === 0) return held;
  const fixed = (place: ParameterPlace) => set.filter((each) => each.in === place).map(keyOf);
  return {
    header: either(held.header, holds(fixed('header'))),
    query: either(held.query, holds([...inPath, ...inBase, ...fixed('query')])),
    cookie: either(held.cookie, holds(fixed('cookie'))),
    body: either(held.body, holds(fixed('body'))),
  };
}

/** The names set for every operation of an API. */
interface ApiPlaces {
  readonly held: HeldNames;
  /** Only those of its credential. */
  readonly secret: HeldNames;
}

const known = new WeakCache<FillingApi, ApiPlaces>();

function placesOf(api: FillingApi): ApiPlaces {
  return known.of(api, findPlaces);
}

function findPlaces(api: FillingApi): ApiPlaces {
  const all = secretPlaces(api.auth);
  const secret = (place: string) => all.filter((each) => each.in === place).map(({ name }) => name);
  const isWholeCookie = secret('header').some((name) => name.toLowerCase() === 'cookie');
  const cookie = isWholeCookie ? always : holds(secret('cookie'));
  const method = isAllowed(api, methodField) ? [] : [methodField];
  return {
    secret: {
      header: holds(secret('header')),
      query: holds(secret('query')),
      cookie,
      body: holds(secret('body')),
    },
    held: {
      header: holds([...secret('header'), ...Object.keys(api.headers), ...identityHeaders(api)]),
      query: holds([...secret('query'), ...queryNames(api.baseUrl), ...method]),
      cookie: either(cookie, holds(cookieNames(api.headers))),
      body: holds([...secret('body'), ...method]),
    },
  };
}

function either(one: IsHeld, other: IsHeld): IsHeld {
  if (other === never) return one;
  return one === never ? other : (name) => one(name) || other(name);
}

/** The inputs of an operation that callers may not set, each with the reason. Usually none. */
export function heldParameters(api: FillingApi, operation: Operation): readonly HeldParameter[] {
  let names: HeldNames | undefined;
  const { secret } = placesOf(api);
  return operation.parameters.flatMap((parameter) => {
    const why = isSetByOperator(parameter)
      ? credentialConflict(parameter, operation, secret)
      : parameter.hidden === true
        ? null
        : whyHeld(parameter, api, operation, (names ??= heldNames(api, operation)));
    return why === null ? [] : [{ parameter, why }];
  });
}

/** The operation as callers may use it: inputs they may not set are neither shown nor sent. */
export function withoutHeld(api: FillingApi, operation: Operation): Operation {
  const held = new Set(heldParameters(api, operation).map(({ parameter }) => parameter));
  if (held.size === 0) return operation;
  const parameters = operation.parameters.map((parameter) => {
    if (!held.has(parameter)) return parameter;
    const { default: _default, fixed: _fixed, ...rest } = parameter;
    return { ...rest, hidden: true, required: false };
  });
  return { ...operation, parameters };
}

/** The tool as callers may use it; the same object if nothing is held. */
export function toolWithoutHeld(api: FillingApi, tool: Tool): Tool {
  const own = tool.operation;
  const operation = withoutHeld(api, own);
  return operation === own ? tool : { ...tool, operation };
}

/** A query without the pairs that a credential sets. */
export function queryWithoutSecrets(api: FillingApi, query: string): string {
  if (query === '') return query;
  const isSecret = placesOf(api).secret.query;
  return query
    .split('&')
    .filter((pair) => !isSecret(pairName(pair)))
    .join('&');
}

/** The name of an encoded `name=value` pair, as a server decodes it. */
export function pairName(pair: string): string {
  const equals = pair.indexOf('=');
  const name = (equals < 0 ? pair : pair.slice(0, equals)).replaceAll('+', ' ');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const methodField = '_method';

function keyOf({ key, name }: Parameter): string {
  return key ?? name;
}

/** A value that is always sent: a fixed one, or the default of a hidden input. */
function isSetByOperator({ fixed, hidden, default: preset }: Parameter): boolean {
  return fixed !== undefined || (hidden === true && preset !== undefined);
}

function isAllowed({ allowHeaders = [] }: FillingApi, name: string): boolean {
  return allowHeaders.some((allowed) => allowed.toLowerCase() === name.toLowerCase());
}

function whyHeld(
  parameter: Parameter,
  api: FillingApi,
  operation: Operation,
  names: HeldNames,
): string | null {
  const key = keyOf(parameter);
  if (parameter.in === 'path' || (parameter.in === 'body' && !hasOwnField(operation))) return null;
  // It is sent under the names within its value, each of which is checked separately.
  if (parameter.style === 'querystring') return null;
  if (parameter.in === 'header' && isIdentifyingHeader(key) && !isAllowed(api, key))
    return 'says who is sending the request, from where or with which method: allow it by name on the API (allowHeaders) if callers may set it';
  const isDeep = parameter.style === 'deepObject';
  if (!names[parameter.in](isDeep ? `${key}[\uffff]` : key)) return null;
  return key.toLowerCase() === methodField
    ? 'would override the method: allow it by name on the API (allowHeaders) if callers may set it'
    : 'is set by the operator: by the API’s credential, one of its headers or a fixed value';
}

function credentialConflict(parameter: Parameter, operation: Operation, secret: HeldNames): string | null {
  // A header appears once: the credential replaces it when the request is signed.
  if (parameter.in === 'path' || parameter.in === 'header') return null;
  if (parameter.in === 'body' && !hasOwnField(operation)) return null;
  return secret[parameter.in](keyOf(parameter)) ? 'is the place of the API’s credential' : null;
}

/** Whether each body parameter is a separate field, by its key. */
function hasOwnField({ body }: Operation): boolean {
  return body === undefined || body.shape === 'fields';
}

function queryNames(address: string): string[] {
  const start = address.indexOf('?');
  return start < 0
    ? []
    : address
        .slice(start + 1)
        .split('&')
        .map(pairName);
}

function cookieNames(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === 'cookie')
    .flatMap(([, value]) => value.split(';').map((pair) => pair.split('=', 1)[0]!.trim()));
}

/**
 * Whether some server would treat a name as one of these: in any letter case, with blanks around it, with `.`, `-`, a
 * blank or an open bracket for `_`, as a list or an object (`a[]`, `a[b]`), or as the whole that contains one (`a` for
 * `a[b]`).
 */
function holds(names: readonly string[]): IsHeld {
  const forms = names.filter((name) => name !== '').flatMap(looseForms);
  if (forms.length === 0) return never;
  const pattern = new RegExp(`^[\\0- ]*(?:${forms.join('|')})`, 'iu');
  return (name) => pattern.test(name);
}

const byName = new Map<string, IsHeld>();

/** Matches names that some server would treat as this one. Cached by name, because it is used while signing requests. */
export function meaning(name: string): IsHeld {
  let places = byName.get(name);
  if (places === undefined) {
    if (byName.size > 1_000) byName.clear();
    byName.set(name, (places = holds([name])));
  }
  return places;
}

function looseForms(name: string): string[] {
  const [base = '', ...inner] = name.trim().replace(/\[\]$/, '').split('[');
  const whole = [loose(base), ...inner.map((part) => `\\[${loose(part)}`)];
  const enclosing = inner.map((_part, i) => `${whole.slice(0, i + 1).join('')}(?:\\[\\])?[\\0- ]*$`);
  return [`${whole.join('')}[\\0- ]*(?:\\[|$)`, ...enclosing];
}

function loose(text: string): string {
  return [...text].map((char) => (/[-_. ]/.test(char) ? '[-_. []' : quoted(char))).join('');
}

// With the `u` flag, only these may be escaped.
function quoted(char: string): string {
  return /[\^$\\.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}
