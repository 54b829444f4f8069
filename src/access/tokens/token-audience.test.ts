import { expect, it } from 'vitest';
import { scopeMissingError, tokenNeededError, type TokenAudience } from './token-audience.ts';

const metadataUrl = 'https://tools.example.com/.well-known/oauth-protected-resource/mcp/one';

function audience(scopes?: readonly string[]): TokenAudience {
  return {
    policy: { kind: 'oauth', issuer: 'https://issuer.example.com', ...(scopes && { scopes }) },
    resources: ['https://tools.example.com/mcp/one'],
    metadataUrl,
  };
}

it.each([
  [undefined, undefined, `Bearer resource_metadata="${metadataUrl}"`],
  [[], undefined, `Bearer resource_metadata="${metadataUrl}"`],
  [['read', 'write'], undefined, `Bearer resource_metadata="${metadataUrl}", scope="read write"`],
  [
    ['read'],
    'it has expired',
    `Bearer resource_metadata="${metadataUrl}", scope="read", error="invalid_token", error_description="it has expired"`,
  ],
])(
  'a request that lacks a token for the scopes %j (%s) is told where to get one',
  (scopes, why, challenge) => {
    const error = tokenNeededError(audience(scopes), why);
    expect([error.code, error.details.challenge]).toEqual(['unauthenticated', challenge]);
    if (why !== undefined) expect(error.message).toBe(`The access token is not accepted: ${why}.`);
  },
);

it('a token that opens nothing is told which scopes it lacks, each once', () => {
  const error = scopeMissingError(audience(), ['read', 'write', 'read']);
  expect([error.code, error.details.challenge]).toEqual([
    'forbidden',
    `Bearer error="insufficient_scope", scope="read write", resource_metadata="${metadataUrl}"`,
  ]);
  expect(error.message).toContain('read write');
});
