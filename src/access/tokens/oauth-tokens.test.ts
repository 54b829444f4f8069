import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTokenIssuer, type TokenIssuer } from '../../../test/support/servers/token-issuer.ts';
import { createEgressGuard } from '../../upstream/connections/egress.ts';
import { createFetchGuarded } from '../../upstream/fetch-guarded.ts';
import { createTokenCheck, type TokenCheck } from './oauth-tokens.ts';
import type { TokenAudience } from './token-audience.ts';

const startMs = Date.parse('2026-11-17T12:00:00Z');
const resource = 'https://tools.example.com/mcp/one';
const outbound = createFetchGuarded({ guard: createEgressGuard({ allow: ['127.0.0.1'] }), now: Date.now });
let nowMs: number;
let issuer: TokenIssuer;
let audience: TokenAudience;
let tokens: TokenCheck;

beforeAll(async () => {
  issuer = await startTokenIssuer(() => startMs);
  audience = {
    policy: { kind: 'oauth', issuer: issuer.origin },
    resources: [resource],
    metadataUrl: 'https://tools.example.com/.well-known/oauth-protected-resource/mcp/one',
  };
});
afterAll(async () => {
  await outbound.close();
  await issuer.close();
});
beforeEach(() => {
  nowMs = startMs;
  tokens = createTokenCheck(
    outbound.fetch,
    () => '',
    () => nowMs,
  );
});

it('answers at once for a token that was good a moment ago', async () => {
  const token = await issuer.sign({ aud: resource });
  const checking = tokens.check(token, audience);
  expect(tokens.remembered(token, audience)).toBeUndefined();
  const caller = await checking;
  expect(tokens.remembered(token, audience)).toBe(caller);
});

it.each([
  ['59 s later', 59_999, {}, false],
  ['a minute later', 60_000, {}, true],
  ['when the token has expired', 30_000, { exp: startMs / 1_000 + 30 }, true],
])('looks anew %s: %i ms', async (_when, laterMs, claims, anew) => {
  const token = await issuer.sign({ aud: resource, ...claims });
  await tokens.check(token, audience);
  nowMs += laterMs;
  expect(tokens.remembered(token, audience) === undefined).toBe(anew);
});

it('looks anew when the policy was edited, and at another server', async () => {
  const token = await issuer.sign({ aud: [resource, 'https://tools.example.com/mcp/two'] });
  await tokens.check(token, audience);
  const edited = { ...audience, policy: { ...audience.policy, scopes: ['use'] } };
  expect(tokens.remembered(token, edited)).toBeUndefined();
  await expect(tokens.check(token, edited)).rejects.toMatchObject({ code: 'forbidden' });
  const other = {
    ...audience,
    resources: ['https://tools.example.com/mcp/three'],
    metadataUrl: 'https://tools.example.com/.well-known/oauth-protected-resource/mcp/three',
  };
  expect(tokens.remembered(token, other)).toBeUndefined();
  await expect(tokens.check(token, other)).rejects.toMatchObject({ code: 'unauthenticated' });
});

it('keeps nothing of a token that was refused', async () => {
  const token = await issuer.sign({ aud: 'https://elsewhere.example.com' });
  await expect(tokens.check(token, audience)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(tokens.remembered(token, audience)).toBeUndefined();
});
