import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/domain/json-schema.ts';
import { parseImport } from '../../src/import/reading/parse-import.ts';
import { countTokens } from '../../src/listing/tokens/count-tokens.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../support/servers/http-server.ts';
import { corpusFolder } from './corpus.ts';

const guide = readFileSync(new URL('../../docs/guide/code.md', import.meta.url), 'utf8');
const section = guide.slice(guide.indexOf('## On real APIs'), guide.indexOf('## What scripts may do'));
const scripts = [...section.matchAll(/```ts\n(.*?)```/gs)].map((match) => match[1]!);

const documents: Readonly<Record<string, string>> = {
  gitea: 'openapi/gitea-swagger2.json',
  docker: 'openapi/docker-engine-1.41-swagger2.yaml',
  spotify: 'openapi/spotify-official.yml',
};

/** A value with everything in it that a schema knows, lists with two of it. */
function fullInstance(schema: unknown, defs: JsonSchema, depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null || depth > 8) return null;
  const node = schema as Record<string, unknown>;
  const follow = (inner: unknown) => fullInstance(inner, defs, depth + 1);
  if (typeof node['$ref'] === 'string') return follow(defs[node['$ref'].slice('#/$defs/'.length)]);
  if (Array.isArray(node['enum'])) return node['enum'][0];
  const parts = node['allOf'] ?? node['oneOf'] ?? node['anyOf'];
  const own = Object.entries(node['properties'] ?? {}).map(([name, inner]) => [name, follow(inner)]);
  if (Array.isArray(parts))
    return Object.assign({}, ...(parts as unknown[]).map(follow), Object.fromEntries(own)) as unknown;
  if (node['type'] === 'array') return [follow(node['items']), follow(node['items'])];
  if (node['type'] === 'integer' || node['type'] === 'number') return 90_000;
  if (node['type'] === 'boolean') return false;
  return own.length > 0 || node['type'] === 'object' ? Object.fromEntries(own) : 'text';
}

describe.each(Object.entries(documents))("the guide's script for %s", (slug, file) => {
  let upstream: TestServer;
  let running: RunningGateway;
  const requests: string[] = [];
  beforeAll(async () => {
    const text = readFileSync(join(corpusFolder(), file), 'utf8');
    const { apis } = parseImport({ files: [{ name: file, content: Buffer.from(text) }] });
    const operations = apis.flatMap(({ operations: all }) => all.flatMap(({ content }) => content ?? []));
    const replies = operations.map(({ operation: { method, path, replySchema } }) => ({
      asks: new RegExp(`^${method} ${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
      replySchema,
    }));
    upstream = await serveHttp((request, response) => {
      const asked = `${request.method} ${new URL(request.url ?? '/', 'http://x').pathname}`;
      requests.push(asked);
      const found = replies.find(({ asks }) => asks.test(asked))?.replySchema;
      response
        .writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(fullInstance(found, (found?.['$defs'] ?? {}) as JsonSchema)));
    });
    running = await startGateway({ egressAllow: ['127.0.0.1'] });
    const imported = await running.admin('POST', '/imports', { text, api: slug, baseUrl: upstream.origin });
    expect([imported.status, imported.body.detail]).toEqual([200, undefined]);
    // The stand-in lets everybody in.
    await running.admin('PATCH', `/apis/${slug}`, { auth: { kind: 'none' } });
  });
  afterAll(async () => {
    await running.stop();
    await upstream.close();
  });

  it('runs, makes several calls and returns little', async () => {
    const script = scripts.find((text) => text.includes(`tools.${slug}.`))!;
    const { body } = await running.admin('POST', '/servers/default/run', { code: script });
    expect(body.error).toBeUndefined();
    expect(body.calls.length).toBeGreaterThanOrEqual(3);
    expect(new Set(body.calls.map(({ outcome }: { outcome: string }) => outcome))).toEqual(new Set(['ok']));
    expect(requests).toHaveLength(body.calls.length);
    expect(JSON.parse(body.result)).not.toHaveLength(0);
    expect(countTokens(body.result)).toBeLessThanOrEqual(500);
    expect(body.tokens.direct).toBeGreaterThan(body.tokens.result);
  });
});
