import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { serveHttp } from './http-server.ts';

/** An OpenID Connect provider for tests, which can be told to misbehave. */
export interface OpenIdProvider {
  readonly origin: string;
  /** The claims of whoever signs in next. */
  claims: Record<string, unknown>;
  /** What is wrong with its next answers. */
  fault: Fault | null;
  /** How far its clock is ahead. */
  skewS: number;
  /** What it received at its token endpoint. */
  readonly tokenRequests: URLSearchParams[];
  /** Signs with another key from now on. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

export type Fault =
  | 'nonce'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'future'
  | 'unsigned key'
  | 'userinfo of someone else'
  | 'down'
  | 'no id token';

/** Starts a provider that signs in whoever comes, without asking. */
export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  let keyNumber = 0;
  let key = await makeKey(`k${keyNumber}`);
  const codes = new Map<string, { nonce: string; clientId: string; challenge: string }>();
  const provider = {
    claims: {} as Record<string, unknown>,
    fault: null as Fault | null,
    skewS: 0,
    tokenRequests: [] as URLSearchParams[],
  };
  const server = await serveHttp((request, response) => {
    void answer();
    async function answer(): Promise<void> {
      const url = new URL(request.url ?? '/', server.origin);
      const json = (value: object, status = 200) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(value));
      };
      if (provider.fault === 'down') return json({ error: 'server_error' }, 503);
      switch (url.pathname) {
        case '/.well-known/openid-configuration':
          return json({
            issuer: server.origin,
            authorization_endpoint: `${server.origin}/authorize`,
            token_endpoint: `${server.origin}/token`,
            jwks_uri: `${server.origin}/keys`,
            userinfo_endpoint: `${server.origin}/userinfo`,
            authorization_response_iss_parameter_supported: true,
            id_token_signing_alg_values_supported: ['ES256'],
          });
        case '/keys':
          return json({ keys: [key.jwk] });
        case '/authorize': {
          const code = randomBytes(8).toString('hex');
          const asked = url.searchParams;
          codes.set(code, {
            nonce: asked.get('nonce') ?? '',
            clientId: asked.get('client_id') ?? '',
            challenge: asked.get('code_challenge') ?? '',
          });
          const back = new URL(asked.get('redirect_uri')!);
          back.searchParams.set('code', code);
          back.searchParams.set('state', asked.get('state') ?? '');
          back.searchParams.set(
            'iss',
            provider.fault === 'issuer' ? 'https://evil.example.com' : server.origin,
          );
          response.writeHead(302, { location: back.href });
          return void response.end();
        }
        case '/token': {
          const chunks: Buffer[] = [];
          for await (const chunk of request) chunks.push(chunk as Buffer);
          const form = new URLSearchParams(Buffer.concat(chunks).toString());
          provider.tokenRequests.push(form);
          const known = codes.get(form.get('code') ?? '');
          codes.delete(form.get('code') ?? '');
          if (known === undefined) return json({ error: 'invalid_grant' }, 400);
          const nowS = Math.floor(Date.now() / 1000) + provider.skewS;
          const shift = provider.fault === 'expired' ? -1_000 : provider.fault === 'future' ? 1_000 : 0;
          const { sub, ...more } = provider.claims;
          const signer = provider.fault === 'unsigned key' ? await makeKey(key.jwk.kid) : key;
          const idToken = await new SignJWT({
            ...more,
            nonce: provider.fault === 'nonce' ? 'another' : known.nonce,
          })
            .setProtectedHeader({ alg: 'ES256', kid: signer.jwk.kid })
            .setSubject(String(sub))
            .setIssuer(server.origin)
            .setAudience(provider.fault === 'audience' ? 'someone-else' : known.clientId)
            .setIssuedAt(nowS + shift)
            .setExpirationTime(nowS + shift + 300)
            .sign(signer.privateKey);
          return json({
            access_token: 'at',
            token_type: 'Bearer',
            expires_in: 60,
            ...(provider.fault !== 'no id token' && { id_token: idToken }),
          });
        }
        case '/userinfo':
          return json({
            sub: provider.fault === 'userinfo of someone else' ? 'mallory' : String(provider.claims['sub']),
            phone: '555',
          });
        default:
          return json({}, 404);
      }
    }
  });
  return Object.assign(provider, {
    origin: server.origin,
    async rotateKeys() {
      key = await makeKey(`k${++keyNumber}`);
    },
    close: () => server.close(),
  });
}

async function makeKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } };
}
