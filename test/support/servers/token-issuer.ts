import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { serveHttp } from './http-server.ts';

/** An authorization server that signs access tokens and publishes its keys. */
export interface TokenIssuer {
  readonly origin: string;
  /** How often it was asked for anything. */
  readonly asked: number;
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

/** Starts an issuer; what a token lacks of issuer, subject and times is filled in. */
export async function startTokenIssuer(now: () => number): Promise<TokenIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }];
  let asked = 0;
  const server = await serveHttp((request, response) => {
    asked++;
    const metadata = { issuer: server.origin, jwks_uri: `${server.origin}/keys` };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(request.url === '/keys' ? { keys } : metadata));
  });
  return {
    origin: server.origin,
    get asked() {
      return asked;
    },
    sign: (claims) =>
      new SignJWT({
        sub: 'ann',
        iss: server.origin,
        iat: Math.floor(now() / 1_000),
        exp: Math.floor(now() / 1_000) + 300,
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .sign(privateKey),
    close: () => server.close(),
  };
}
