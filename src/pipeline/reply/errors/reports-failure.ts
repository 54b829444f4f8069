import { isObject, type PlainObject } from '../../../lib/json/plain-object.ts';
import type { Reply } from '../reply.ts';

// Failures are short; a long reply is what was asked for.
const maxBytes = 64 * 1024;
const brace = 0x7b;
const angle = 0x3c;
// As bytes: a text would be encoded for every reply. Without the quotation mark in front, since a search for a letter that
// is everywhere takes several times as long: `"ok"`, `"success"`, `"fail"`, and `"error"`, `"errors"` or `"userErrors"`.
const okWord = Buffer.from('ok"');
const successWord = Buffer.from('uccess"');
const failWord = Buffer.from('fail"');
const errorWord = Buffer.from('rror');
// `false` and `fail`: without either, only errors can be reported.
const falseOrFail = Buffer.from('fa');

/**
 * Whether a reply with a status of success reports a failure, in one of the forms that several APIs use: `ok: false`
 * (Slack) or `success: false` with an error, `status: "error"` with a message and without data (JSend), GraphQL `errors`
 * without data, `userErrors` of a mutation (Shopify), a SOAP fault, and a `grpc-status` other than 0. Looks for a word
 * before it parses anything, because every reply pays for it.
 */
export function reportsFailure({ status, headers, body }: Reply): boolean {
  if (status >= 300) return false;
  const grpcStatus = headers['grpc-status'];
  if (grpcStatus !== undefined && grpcStatus !== '0') return true;
  if (body.length === 0 || body.length > maxBytes) return false;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.length);
  if (bytes[0] === angle) return bytes.includes('Fault>') && bytes.includes('Envelope');
  if (bytes[0] !== brace) return false;
  const isSuspect =
    bytes.includes(errorWord) ||
    (bytes.includes(falseOrFail) &&
      (bytes.includes(okWord) || bytes.includes(failWord) || bytes.includes(successWord)));
  if (!isSuspect) return false;
  const value = parsed(bytes);
  return (
    value !== null &&
    (isRefusal(value) || isFailedStatus(value) || isGraphQlFailure(value) || hasUserErrors(value))
  );
}

function parsed(bytes: Buffer): PlainObject | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    // Whatever it is, it does not report a failure in a form that is known here.
    return null;
  }
}

function isRefusal(value: PlainObject): boolean {
  const { ok, success, data } = value;
  if (ok === false && (isObject(value['error']) || typeof value['description'] === 'string')) return true;
  return (ok === false || (success === false && isEmpty(data))) && givesReason(value);
}

// A thing that is asked for, such as a job, can have failed as well: it has an id or data, and is what was asked for.
function isFailedStatus(value: PlainObject): boolean {
  const { status, result, data } = value;
  const state = status ?? result;
  if (Object.keys(value).some((name) => /(?:^id|[_I]d)$/.test(name))) return false;
  if (state === 'fail' && isObject(data)) return Object.keys(value).every((name) => jsendNames.has(name));
  return (state === 'error' || state === 'fail') && isEmpty(data) && givesReason(value);
}

const jsendNames = new Set(['status', 'data', 'code', 'message']);

function givesReason({ error, errors, message, messages }: PlainObject): boolean {
  return [error, errors, message, messages].some((reason) =>
    isObject(reason) || Array.isArray(reason)
      ? !isEmpty(reason)
      : typeof reason === 'string' && reason !== '',
  );
}

// When there is data too, the errors are about a part of it, and the model reads both.
function isGraphQlFailure({ errors, data, ...others }: PlainObject): boolean {
  const isWithout = isEmpty(data) || allNull(data);
  if (!Array.isArray(errors) || errors.length === 0 || !isWithout) return false;
  const known = Object.keys(others).every((name) => name === 'extensions');
  return known && errors.every((error) => isObject(error) && typeof error['message'] === 'string');
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  );
}

function allNull(data: unknown): boolean {
  return isObject(data) && Object.values(data).every((value) => value === null);
}

function hasUserErrors({ data }: PlainObject): boolean {
  if (!isObject(data)) return false;
  return Object.values(data).some((field) => {
    const errors = isObject(field) ? field['userErrors'] : undefined;
    return Array.isArray(errors) && errors.length > 0 && errors.every(isObject);
  });
}
