import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awsSignature } from '../../src/credentials/schemes/aws-sigv4.ts';
import { bodyOf, serveHttp } from '../support/servers/http-server.ts';
import type { TestServer } from '../support/servers/http-server.ts';
import { apiAt, callingStack, callOf, toolOf } from '../support/calling.ts';
import fc from '../support/property.ts';

const fields = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'the-secret-of-this-test' };
let server: TestServer;

/** A service that lets in what AWS's own library would have signed the same way. */
beforeAll(async () => {
  server = await serveHttp(async (request, response) => {
    const body = await bodyOf(request);
    const given = request.headers.authorization ?? '';
    const stamp = String(request.headers['x-amz-date']).replace(
      /^(....)(..)(..)T(..)(..)(..)Z$/,
      '$1-$2-$3T$4:$5:$6Z',
    );
    const names = /SignedHeaders=([^,]+)/.exec(given)?.[1]?.split(';') ?? [];
    const [region, service] = given.split('/').slice(2, 4) as [string, string];
    const url = new URL(request.url!, 'http://x');
    const theirs = new SignatureV4({
      credentials: fields,
      region,
      service,
      sha256: Sha256,
      uriEscapePath: service !== 's3',
      applyChecksum: service === 's3',
    });
    const signed = await theirs.sign(
      {
        method: request.method!,
        protocol: 'http:',
        hostname: 'x',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: Object.fromEntries(names.map((name) => [name, String(request.headers[name])])),
        body,
      },
      { signingDate: new Date(stamp) },
    );
    response.writeHead(signed.headers['authorization'] === given ? 200 : 403).end('{}');
  });
});
afterAll(() => server.close());

describe('AWS Signature Version 4', () => {
  it.each(['s3', 'execute-api'])(
    'is accepted by a service that checks it, and refused with another secret: %s',
    async (service) => {
      const { store, run, close } = callingStack();
      const api = apiAt(server.origin, { kind: 'aws-sigv4', region: 'us-east-1', service });
      store(api, fields);
      const key = { name: 'key', in: 'path', schema: { type: 'string' }, required: true } as const;
      const put = toolOf(api, {
        method: 'PUT',
        path: '/bucket/{key}',
        parameters: [key, { name: 'body', in: 'body', schema: {}, required: true }],
        body: { mediaType: 'application/json', shape: 'whole' },
      });
      const list = toolOf(api, {
        path: '/bucket?list-type=2',
        parameters: [{ name: 'prefix', in: 'query', schema: {}, required: false }],
      });
      for (const name of ['plain.json', 'with space & ü.json', "it's (1)*.json", 'a/b', '100%']) {
        expect(await run(callOf(put, { arguments: { key: name, body: { name } } })), name).toMatchObject({
          kind: 'done',
        });
      }
      expect(await run(callOf(list, { arguments: { prefix: 'with space/+=&' } }))).toMatchObject({
        kind: 'done',
      });
      store(api, { ...fields, secretAccessKey: 'another-secret-value' });
      expect(await run(callOf(list))).toMatchObject({
        kind: 'failed',
        error: { details: { upstreamStatus: 403 } },
      });
      await close();
    },
  );

  it('is what the library of AWS itself computes, for any path, query and body', async () => {
    const scheme = { kind: 'aws-sigv4', region: 'eu-west-1', service: 'execute-api' } as const;
    const theirs = new SignatureV4({
      credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret' },
      region: scheme.region,
      service: scheme.service,
      sha256: Sha256,
    });
    // Their canonical query loses a parameter named __proto__.
    const word = fc
      .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
      .filter((text) => text.isWellFormed() && text !== '.' && text !== '..' && text !== '__proto__');
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 3 }),
        fc.dictionary(word, word, { maxKeys: 4 }),
        fc.string(),
        async (segments, query, content) => {
          const path = `/${segments.map(encodeURIComponent).join('/')}`;
          const target =
            Object.keys(query).length === 0
              ? path
              : `${path}?${Object.entries(query)
                  .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
                  .join('&')}`;
          const nowMs = 1_700_000_000_000;
          const ours = awsSignature(
            scheme,
            { accessKeyId: 'AKID', secretAccessKey: 'secret' },
            {
              method: 'POST',
              origin: 'https://api.example.com',
              target,
              headers: { 'content-type': 'text/plain' },
              body: { contentType: 'text/plain', content },
            },
            nowMs,
          );
          const signed = await theirs.sign(
            {
              method: 'POST',
              protocol: 'https:',
              hostname: 'api.example.com',
              path,
              query,
              headers: { host: 'api.example.com', 'content-type': 'text/plain' },
              body: content,
            },
            { signingDate: new Date(nowMs), unsignableHeaders: new Set(['x-amz-content-sha256']) },
          );
          const signature = (header: string | undefined) => header?.replace(/.*Signature=/, '');
          const names = (header: string | undefined) => /SignedHeaders=([^,]+)/.exec(header ?? '')?.[1];
          expect(names(ours['authorization'])).toBe(names(signed.headers['authorization']));
          expect(signature(ours['authorization'])).toBe(signature(signed.headers['authorization']));
        },
      ),
      { numRuns: 300 },
    );
  });
});
