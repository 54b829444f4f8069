import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../../../test/support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

it.each([
  ['cpu', 'nodes'],
  ['heap', 'head'],
])('profiles the process: %s', async (kind, field) => {
  const answer = await gateway.request('POST', '/api/v1/profiles', { kind, seconds: 1 });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toHaveProperty(field);
});

it('takes one profile at a time', async () => {
  const answers = await Promise.all(
    [1, 2].map(() => gateway.request('POST', '/api/v1/profiles', { kind: 'cpu', seconds: 1 })),
  );
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
});

it('is refused without credentials', async () => {
  const answer = await gateway.request('POST', '/api/v1/profiles', { kind: 'cpu', seconds: 1 }, {});
  expect(answer.statusCode).toBe(401);
});
