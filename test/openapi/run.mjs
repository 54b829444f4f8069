// A server's own OpenAPI document, as others read it: two validators accept it, and swagger-client calls every tool of
// the bookshop through it. Usage: node run.mjs DOCUMENT-URL ACCESS-KEY
import assert from 'node:assert/strict';
import { validate } from '@readme/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import SwaggerClient from 'swagger-client';

const [address, key] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}` };
const document = await (await fetch(address, { headers })).json();

const schema = await new Validator().validate(structuredClone(document));
assert.ok(schema.valid, `@seriousme/openapi-schema-validator: ${JSON.stringify(schema.errors)}`);
const parsed = await validate(structuredClone(document));
assert.ok(parsed.valid, `@readme/openapi-parser: ${JSON.stringify(parsed.errors)}`);
console.log('Two validators accept the document.');

const client = await SwaggerClient({ spec: document, authorizations: { accessKey: { value: key } } });
const ids = Object.values(document.paths).map(({ post }) => post.operationId);
const calls = {
  listBooks: [{ author: 'Le Guin' }, ({ books }) => books.length === 2],
  getBook: [{ id: 2 }, ({ title }) => title === 'Invisible Cities'],
  placeOrder: [{ book: 1, copies: 2 }, ({ totalCents }) => totalCents === 2598],
  getOrder: [{ id: 1 }, ({ copies }) => copies === 2],
};
assert.deepEqual(new Set(ids), new Set(Object.keys(calls)));
for (const [operationId, [requestBody, isRight]] of Object.entries(calls)) {
  const { status, body } = await client.execute({ operationId, requestBody });
  assert.equal(status, 200);
  assert.ok(isRight(body), `${operationId}: ${JSON.stringify(body)}`);
}
const refused = await client
  .execute({ operationId: 'getBook', requestBody: { id: 99 } })
  .catch((error) => error);
assert.equal(refused.response.body.code, 'upstream_status');
console.log(`swagger-client called ${ids.length} tools through it.`);
