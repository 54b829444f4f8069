import type { Row } from '../row.ts';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = {
  iss: 'https://issuer.example',
  sub: 'x',
  aud: 'http://localhost/mcp/keyed',
  exp: 4_102_444_800,
};
const tokens: readonly [string, string][] = [
  ['nothing', 'Bearer '],
  ['blanks', 'Bearer    '],
  ['another scheme', 'Negotiate abc'],
  ['no scheme', 'abcdefgh'],
  ['a key that is none', 'Bearer hrk_00000000000000000000000000000000000000000000'],
  ['the hash of a key', `Bearer ${'0'.repeat(64)}`],
  ['a very long key', `Bearer ${'a'.repeat(12_000)}`],
  ['names of the prototype', 'Bearer __proto__'],
  ['letters beyond ASCII', 'Bearer \u00e9\u00e8'],
  ['a token without a signature', `Bearer ${part({ alg: 'none' })}.${part(claims)}.`],
  ['a token of a shared secret', `Bearer ${part({ alg: 'HS256' })}.${part(claims)}.c2ln`],
  [
    'a token with its own key',
    `Bearer ${part({ alg: 'RS256', jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } })}.${part(claims)}.c2ln`,
  ],
  [
    'a token with an address for its key',
    `Bearer ${part({ alg: 'RS256', jku: 'http://169.254.169.254/' })}.${part(claims)}.c2ln`,
  ],
  ['a token whose parts are no JSON', 'Bearer abc.def.ghi'],
  ['a token of dots', `Bearer ${'.'.repeat(5_000)}`],
  ['basic without a colon', `Basic ${Buffer.from('abc').toString('base64')}`],
  ['basic that is no base64', 'Basic ===='],
  ['basic of a wrong key', `Basic ${Buffer.from('x:hrk_wrong').toString('base64')}`],
];

const surfaces: readonly [string, string, string, string][] = [
  ['MCP', 'POST', '/mcp/keyed', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
  ['MCP where there is no server', 'POST', '/mcp/nowhere', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
  ['the card', 'GET', '/mcp/keyed/server.json', ''],
  ['the card where there is no server', 'GET', '/mcp/nowhere/server.json', ''],
  ['the explorer', 'GET', '/explorer/keyed/tools', ''],
  ['the admin API', 'GET', '/api/v1/apis', ''],
];

/** Credentials that must open nothing. */
export const hostileTokens: readonly Row[] = [
  ...surfaces.flatMap(([surface, method, path, body]) =>
    tokens.map(([what, authorization]): Row => ({
      what: `${what}, shown to ${surface}`,
      way: {
        by: 'http',
        method,
        path,
        headers: {
          authorization,
          accept: 'application/json, text/event-stream',
          ...(body !== '' && { 'content-type': 'application/json' }),
        },
        ...(body !== '' && { body }),
      },
      expected: { status: [400, 401, 403, 404, 431] },
    })),
  ),
  ...[
    'handrail=',
    'handrail=hrs_x',
    `handrail=${'a'.repeat(7_000)}`,
    'handrail=%00',
    '__Host-handrail=hrs_x; handrail=hrs_y',
    'a=b; '.repeat(500),
  ].map((cookie): Row => ({
    what: `the cookie ${cookie.slice(0, 40)}`,
    way: { by: 'http', method: 'GET', path: '/api/v1/session', headers: { cookie } },
    expected: { status: [400, 401, 403, 431] },
  })),
  ...['', 'x', 'A'.repeat(5_000), '%00', `${part({ a: 1 })}.x`].map((state): Row => ({
    what: `the state ${JSON.stringify(state.slice(0, 30))} at the OAuth callback`,
    way: { by: 'http', method: 'GET', path: `/oauth/callback?code=a&state=${encodeURIComponent(state)}` },
    expected: { status: [400, 403, 404, 409, 422] },
  })),
];
