import { isObject, type PlainObject } from '../../../lib/json/plain-object.ts';
import type { Reply } from '../reply.ts';

// Failures are short; a long reply is what was asked for.
const maxBytes = 64 * 1024;
const brace = 0x7b;
const angle = 0x3c;
// As bytes: a text would be encoded for every reply. The second is the end of `"errors"` and `"userErrors"`.
const okWord = Buffer.from('"ok"');
const errorsWord = Buffer.from('rrors"');

/**
 * Whether a reply with a status of success reports a failure, in one of the forms that several APIs use: `ok: false`
 * with an error (Slack), GraphQL `errors` without data, `userErrors` of a mutation (Shopify), a SOAP fault, and a
 * `grpc-status` other than 0. Looks for a word before it parses anything, because every reply pays for it.
 */
export function reportsFailure({ status, headers, body }: Reply): boolean {
  if (status >= 300) return false;
  const grpcStatus = headers['grpc-status'];
  if (grpcStatus !== undefined && grpcStatus !== '0') return true;
  if (body.length === 0 || body.length > maxBytes) return false;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.length);
  if (bytes[0] === angle) return bytes.includes('Fault>') && bytes.includes('Envelope');
  if (bytes[0] !== brace) return false;
  if (!bytes.includes(okWord) && !bytes.includes(errorsWord)) return false;
  const value = parsed(bytes);
  return value !== null && (isRefusal(value) || isGraphQlFailure(value) || hasUserErrors(value));
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

function isRefusal({ ok, error, description }: PlainObject): boolean {
  return ok === false && (typeof error === 'string' || isObject(error) || typeof description === 'string');
}

// When there is data too, the errors are about a part of it, and the model reads both.
function isGraphQlFailure({ errors, data, ...others }: PlainObject): boolean {
  const isEmpty = data === undefined || data === null || allNull(data);
  if (!Array.isArray(errors) || errors.length === 0 || !isEmpty) return false;
  const known = Object.keys(others).every((name) => name === 'extensions');
  return known && errors.every((error) => isObject(error) && typeof error['message'] === 'string');
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
