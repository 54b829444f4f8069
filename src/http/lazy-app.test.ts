import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { forwardTo } from './lazy-app.ts';

let app: FastifyInstance;
let loads: number;
let broken: boolean;

beforeEach(() => {
  loads = 0;
  broken = false;
  app = Fastify();
  const forward = forwardTo(async () => {
    loads++;
    if (broken) throw new Error('not this time');
    const inner = Fastify();
    inner.post('/part/echo', ({ body }) => ({ body }));
    inner.get('/part', (_request, reply) => reply.code(202).send('inner'));
    return inner;
  });
  for (const url of ['/part', '/part/*']) app.all(url, forward, () => 'outer');
  app.get('/else', () => 'outer');
});
afterEach(() => app.close());

it('loads nothing before it is asked, and once however many ask at a time', async () => {
  expect((await app.inject('/else')).body).toBe('outer');
  expect(loads).toBe(0);
  const answers = await Promise.all(Array.from({ length: 5 }, () => app.inject('/part')));
  expect(answers.map((answer) => [answer.statusCode, answer.body])).toEqual(
    Array.from({ length: 5 }, () => [202, 'inner']),
  );
  expect(loads).toBe(1);
});

it('hands the body over unread', async () => {
  const answer = await app.inject({ method: 'POST', url: '/part/echo', payload: { a: 1 } });
  expect(answer.json()).toEqual({ body: { a: 1 } });
});

it('leaves what the loaded router does not know to that router', async () => {
  expect((await app.inject('/part/nothing')).statusCode).toBe(404);
});

it('tries again after it could not be loaded', async () => {
  broken = true;
  expect((await app.inject('/part')).statusCode).toBe(500);
  broken = false;
  expect((await app.inject('/part')).statusCode).toBe(202);
  expect(loads).toBe(2);
});
