import { describe, expect, it } from 'vitest';
import { apiAt, toolOf } from '../../../../test/support/calling.ts';
import type { Reply } from '../reply.ts';
import { transform } from '../transform.ts';
import { reportsFailure } from './reports-failure.ts';

function reply(body: unknown, more: Partial<Reply> = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = text.startsWith('<') ? 'text/xml' : 'application/json';
  const headers = { 'content-type': type, ...more.headers };
  return { status: 200, body: Buffer.from(text), tries: 1, cached: false, upstreamMs: 1, ...more, headers };
}

const fault =
  '<?xml version="1.0"?><s:Envelope><s:Body><s:Fault><faultstring>No such order</faultstring></s:Fault></s:Body></s:Envelope>';

describe('a reply with a status of success', () => {
  it.each([
    ['Slack', { ok: false, error: 'channel_not_found' }],
    ['GraphQL', { errors: [{ message: 'No such field', path: ['order'] }], data: null }],
    ['GraphQL without data', { errors: [{ message: 'Syntax error' }] }],
    ['GraphQL with empty data', { data: { order: null }, errors: [{ message: 'Denied' }], extensions: {} }],
    [
      'Shopify',
      { data: { orderUpdate: { order: null, userErrors: [{ field: ['id'], message: 'Invalid' }] } } },
    ],
    ['SOAP', fault],
    ['Cloudflare', { success: false, errors: [{ code: 7003, message: 'No route' }], result: null }],
    ['a flag', { success: false, message: 'Unknown SKU' }],
    ['JSend, an error', { status: 'error', message: 'The database is down' }],
    ['JSend, a failure', { status: 'fail', data: { title: 'A title is required' } }],
    ['Snipe-IT', { status: 'error', messages: { model_id: ['is invalid'] }, payload: null }],
    ['WHMCS', { result: 'error', message: 'Client ID Not Found' }],
  ])('reports a failure: %s', (_, body) => {
    expect(reportsFailure(reply(body))).toBe(true);
  });

  it('reports a failure in grpc-status', () => {
    expect(reportsFailure(reply({}, { headers: { 'grpc-status': '5' } }))).toBe(true);
    expect(reportsFailure(reply({}, { headers: { 'grpc-status': '0' } }))).toBe(false);
  });

  it.each([
    [{ ok: true }],
    [{ ok: false }],
    [{ errors: [] }],
    [{ success: true, message: 'Saved' }],
    [{ success: false }],
    [{ success: false, error: null }],
    [{ success: false, message: 'two rows were skipped', data: [{ id: 1 }] }],
    [{ id: 'job_1', status: 'error', message: 'The file had no rows' }],
    [{ job_id: 1, status: 'fail', data: { rows: 0 } }],
    [{ status: 'error', data: { message: 'of the device' }, message: 'last reading' }],
    [{ status: 'error', severity: 3 }],
    [{ level: 'error', message: 'a line of a log' }],
    [{ errors: [{ message: 'a row' }], data: { order: { id: 1 } } }],
    [{ errors: [{ message: 'a row' }], imported: 3 }],
    [{ data: { orderUpdate: { userErrors: [] } } }],
    [[{ ok: false, error: 'x' }]],
    ['{"ok": false, "error": "cut'],
    ['<html><body>Fault tolerance</body></html>'],
  ])('is a success: %j', (body) => {
    expect(reportsFailure(reply(body))).toBe(false);
  });

  it('becomes an error for the model, unless the API says otherwise', () => {
    const body = reply({ ok: false, error: 'channel_not_found' });
    const api = apiAt('http://api.example');
    expect(() => transform(toolOf(api, {}), body)).toThrow(
      /^The API answered HTTP 200, but its reply reports an error: .*channel_not_found/,
    );
    const tool = toolOf({ ...api, ignoreErrorBodies: true }, {});
    expect(transform(tool, body).content).toMatchObject([
      { text: expect.stringContaining('channel_not_found') },
    ]);
  });
});
