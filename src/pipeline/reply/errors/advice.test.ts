import { describe, expect, it } from 'vitest';
import { apiAt, toolOf } from '../../../../test/support/calling.ts';
import { HandrailError } from '../../../domain/errors.ts';
import type { Operation } from '../../../domain/operation.ts';
import type { Reply } from '../reply.ts';
import { transform } from '../transform.ts';

const parameters = [{ name: 'q', in: 'query', schema: {}, required: false }] as const;

function refused(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  operation: Partial<Operation> = { parameters },
): HandrailError {
  const reply: Reply = {
    status,
    headers: { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json', ...headers },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    tries: 1,
    cached: false,
    upstreamMs: 1,
  };
  try {
    transform(toolOf(apiAt('https://api.example.com'), operation), reply);
  } catch (error) {
    return error as HandrailError;
  }
  throw new Error('was not refused');
}

const credential = 'The credential stored for this API was not accepted';
const itsReason = 'resolve that reason first';
const change = 'Change the arguments';
const operator = 'operator of this gateway needs to look into it';

describe('the advice that goes with an error', () => {
  it.each<[number, unknown, string, string]>([
    [401, 'nope', credential, 'never'],
    [403, '', 'Most likely the credential', 'never'],
    [403, { message: 'Forbidden' }, 'Most likely the credential', 'never'],
    [403, { message: 'project is archived; unarchive it first' }, itsReason, 'after-change'],
    [403, { error: 'The invoice was already sent' }, itsReason, 'after-change'],
    [403, { message: 'You do not have permission to do this' }, credential, 'never'],
    [403, { ok: false, error: 'missing_scope', needed: 'chat:write' }, credential, 'never'],
    [
      403,
      { message: 'You have exceeded a secondary rate limit.' },
      'A limit of this API is reached',
      'later',
    ],
    [403, { message: 'Your plan does not include this feature' }, 'about money', 'never'],
    [400, { message: 'API key not valid. Please pass a valid API key.' }, credential, 'never'],
    [
      400,
      { __type: 'ThrottlingException', message: 'Rate exceeded' },
      'A limit of this API is reached',
      'later',
    ],
    [400, { message: 'Invalid page token' }, change, 'after-change'],
    [402, '', 'requires a payment', 'never'],
    [404, 'no such user', 'Check the arguments that name', 'after-change'],
    [404, 'Cannot GET /v1/userz', 'does not know the address', 'never'],
    [405, '', 'does not accept GET at this address', 'never'],
    [406, '', operator, 'never'],
    [408, '', 'Call again', 'later'],
    [409, '', 'read the current state', 'after-change'],
    [410, '', 'permanently gone', 'never'],
    [412, '', 'current version', 'after-change'],
    [413, '', 'Send less', 'after-change'],
    [414, '', 'too long', 'after-change'],
    [415, '', 'does not accept the content type', 'never'],
    [422, 'bad', change, 'after-change'],
    [423, '', 'locked', 'later'],
    [429, '', 'Wait a while', 'later'],
    [
      429,
      { error: { code: 'insufficient_quota', message: 'check your plan and billing details' } },
      'about money',
      'never',
    ],
    [451, '', 'legal', 'never'],
    [500, 'oops', 'trying again later may help', 'later'],
    [
      500,
      { errors: [{ field: 'date', message: 'cannot be read' }] },
      'names the arguments it could not accept',
      'after-change',
    ],
    [
      500,
      '<E><Fault><faultcode>s:Client</faultcode><faultstring>x</faultstring></Fault></E>',
      change,
      'after-change',
    ],
    [501, '', 'does not support', 'never'],
  ])('HTTP %i %j', (status, body, advice, retry) => {
    const error = refused(status, body);
    expect(error.message).toContain(advice);
    expect(error.retry).toBe(retry);
    expect(error.code).toBe('upstream_status');
  });

  it('names the time to wait', () => {
    expect(refused(503, '', { 'retry-after': '12' }).message).toContain('Try again in 12 s.');
    const limited = refused(
      403,
      { message: 'API rate limit exceeded' },
      {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '75',
      },
    );
    expect(limited.message).toContain('Try again in 75 s.');
    expect(limited.details.retryAfterMs).toBe(75_000);
    expect(refused(429, { parameters: { retry_after: 4 } }).message).toContain('Try again in 4 s.');
  });

  it('knows what the tool sends', () => {
    const body = { mediaType: 'application/json', shape: 'fields' } as const;
    expect(refused(415, '', {}, { method: 'POST', body }).message).toContain('(application/json)');
    const upload = { mediaType: 'multipart/form-data', shape: 'fields' } as const;
    expect(refused(415, '', {}, { method: 'POST', body: upload }).message).toContain('send another type');
    expect(refused(405, '', { allow: 'POST' }, { method: 'PUT' }).message).toMatch(
      /allow: POST[^]*does not accept PUT/,
    );
    expect(refused(400, 'bad', {}, {}).message).toContain('no arguments to change');
  });

  it.each<[number, string | undefined, readonly string[]]>([
    [
      301,
      'https://new.example.com/v2/x?a=b',
      ['to https://new.example.com/v2/x?a=b', 'change the base URL', 'maxRedirects', '"one"'],
    ],
    [302, '/v2/x', ['to https://api.example.com/v2/x', 'maxRedirects']],
    [
      302,
      'https://api.example.com/users/sign_in?next=x',
      ['to https://api.example.com/users/sign_in', 'maxRedirects'],
    ],
    [302, 'https://id.example.com/login?next=x', ['looks like a sign-in page', 'credential']],
    [303, undefined, ['has no Location header', 'base URL']],
  ])('tells where a redirect leads, and the setting: %i %s', (status, location, parts) => {
    const error = refused(status, '', location === undefined ? {} : { location });
    expect(error.code).toBe('upstream_redirect');
    for (const part of parts) expect(error.message).toContain(part);
  });
});
