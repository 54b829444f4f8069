import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { errorCatalog, type ErrorCode, HandrailError } from '../domain/errors.ts';
import { problemOf, sendProblem } from './problem.ts';

const codes = Object.keys(errorCatalog) as ErrorCode[];

async function answerTo(error: HandrailError) {
  const app = Fastify();
  app.get('/', (_request, reply) => sendProblem(reply, error));
  const answer = await app.inject('/');
  await app.close();
  return answer;
}

it.each(codes)('words %s as problem details with its own status', async (code) => {
  const answer = await answerTo(new HandrailError(code, 'What was wrong, and what to do.'));
  const { title, status } = errorCatalog[code];
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    status,
    'application/problem+json; charset=utf-8',
  ]);
  expect(answer.json()).toEqual({
    type: `urn:handrail:error:${code}`,
    title,
    status,
    detail: 'What was wrong, and what to do.',
    code,
  });
});

it.each([
  ['what is wrong where', { problems: [{ path: '/name', message: 'is missing' }] }, {}],
  ['when to come again', { retryAfterMs: 1_001 }, { 'retry-after': '2' }],
  [
    'how to be let in',
    { challenge: 'Basic realm="handrail"' },
    { 'www-authenticate': 'Basic realm="handrail"' },
  ],
])('tells %s', async (_what, details, headers) => {
  const answer = await answerTo(new HandrailError('rate_limited', 'No.', details));
  const { problems, retryAfterMs } = details as { problems?: unknown; retryAfterMs?: number };
  expect(answer.json()).toMatchObject({
    ...(problems !== undefined && { problems }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  expect(answer.headers).toMatchObject(headers);
});

it.each([
  ['unauthenticated', 'Bearer realm="handrail"'],
  ['forbidden', undefined],
] as const)('asks who is %s to send a key: %s', async (code, challenge) => {
  const answer = await answerTo(new HandrailError(code, 'No.'));
  expect(answer.headers['www-authenticate']).toBe(challenge);
});

it('tells nothing of an error but what is meant to be told', () => {
  const error = new HandrailError(
    'internal',
    'Something went wrong.',
    {},
    { cause: new Error('/etc/secret') },
  );
  expect(JSON.stringify(problemOf(error))).not.toContain('secret');
});
