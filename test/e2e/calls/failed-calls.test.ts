import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';

const secret = 'sk_live_51HxTq8s2mN4vPzR7';

interface Failed {
  readonly message: string;
  readonly request: string;
  readonly reply: string;
}

let at: TestGateway;
let upstream: TestServer;

beforeAll(async () => {
  // Echoes what it received, the credential too, in spellings that hide it.
  upstream = await serveHttp(async (req, res) => {
    let body = '';
    for await (const piece of req) body += String(piece);
    const hidden = [...secret].join('\u200b');
    res.writeHead(422, { 'content-type': 'application/json' });
    res.end(
      JSON.stringify({
        error: 'No such customer',
        fields: [{ name: 'customer', reason: 'is unknown' }],
        echo: body,
        seen: [req.headers['authorization'], hidden, encodeURIComponent(secret)],
        password: 'hunter2hunter2',
      }),
    );
  });
  at = await startGateway({ egressAllow: ['127.0.0.1'] });
  await at.request('POST', '/api/v1/apis', {
    slug: 'shop',
    baseUrl: upstream.origin,
    auth: { kind: 'bearer' },
  });
  await at.request('POST', '/api/v1/credentials', { api: 'shop', fields: { token: secret } });
  await at.request('POST', '/api/v1/tools', {
    api: 'shop',
    name: 'refund',
    description: 'Refunds an order.',
    operation: {
      method: 'POST',
      path: '/refunds',
      parameters: [
        { name: 'customer', in: 'body', schema: { type: 'string' } },
        { name: 'password', in: 'body', schema: { type: 'string' } },
      ],
    },
  });
});
afterAll(async () => {
  await at.close();
  await upstream.close();
});

const failedCall = async (args: object): Promise<Failed> => {
  await at.request('POST', '/api/v1/tools/refund/call', { arguments: args });
  const { items } = (await at.request('GET', '/api/v1/calls?tool=refund&limit=1')).json<{
    items: { id: string }[];
  }>();
  return (await at.request('GET', `/api/v1/calls/${items[0]!.id}`)).json<Failed>();
};

test('a failed call is recorded with the request in full, the API’s reply and what the model received', async () => {
  const { request, reply, message } = await failedCall({ customer: 'cus_7', password: 'open sesame' });
  expect(request).toContain(`POST ${upstream.origin}/refunds\n`);
  expect(request).toContain('content-type: application/json');
  expect(request).toContain('"customer":"cus_7"');
  expect(reply).toContain('"error":"No such customer"');
  expect(message).toContain('is unknown');
});

test('no secret is in such a record, however the API spells it', async () => {
  const { request, reply, message } = await failedCall({ customer: 'cus_7', password: 'open sesame' });
  const text = [request, reply, message].join('\n');
  expect(reply).not.toContain('hunter2hunter2');
  for (const kept of [secret, 'open sesame', encodeURIComponent(secret)]) expect(text).not.toContain(kept);
  expect(text.replaceAll('\u200b', '')).not.toContain(secret);
});
