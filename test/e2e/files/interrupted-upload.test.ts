import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serveHandrail, type ServingProcess } from '../../support/command.ts';
import { editRows, type Place } from '../../support/edit-rows.ts';
import { modern, post } from '../../support/mcp-surface.ts';
import { createDatabase } from '../../support/postgres/postgres.ts';
import { startGateway } from '../../support/running-gateway.ts';
import { hashOfNoise, noise, serveFiles } from '../../support/servers/file-upstream.ts';
import { bodyOf } from '../../support/servers/http-server.ts';

const bytes = 5 * 1024 * 1024;
const content = Buffer.concat([...noise(bytes)]);
const handleSeconds = 600;
const secretKey = Buffer.alloc(32, 3).toString('base64');

const stores = [
  { store: 'SQLite', settings: async () => ({}) },
  { store: 'PostgreSQL', settings: async () => ({ databaseUrl: await createDatabase(), secretKey }) },
];

describe.each(stores)('an upload that is interrupted, on $store', ({ settings }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'handrail-interrupted-'));
  let shared: { readonly databaseUrl?: string; readonly secretKey?: string };
  let place: Place;
  let upstream: Awaited<ReturnType<typeof serveFiles>>;
  let gateway: ServingProcess;

  const serve = async (): Promise<ServingProcess> =>
    serveHandrail(['--data-dir', dataDir, '--no-demo'], {
      ...(shared.databaseUrl !== undefined && { DATABASE_URL: shared.databaseUrl }),
      ...(shared.secretKey !== undefined && { HANDRAIL_SECRET_KEY: shared.secretKey }),
      HANDRAIL_EGRESS_ALLOW: '127.0.0.1',
      HANDRAIL_HANDLE_SECONDS: String(handleSeconds),
      HANDRAIL_LOG_LEVEL: 'error',
    });

  beforeAll(async () => {
    upstream = await serveFiles();
    shared = await settings();
    place = shared.databaseUrl === undefined ? { dataDir } : { databaseUrl: shared.databaseUrl };
    const adding = await startGateway({ ...shared, dataDir });
    await adding.admin('POST', '/apis', { slug: 'files', name: 'Files', baseUrl: upstream.origin });
    const made = await adding.admin('POST', '/tools', {
      api: 'files',
      name: 'put_raw',
      description: 'Takes a file.',
      operation: {
        method: 'PUT',
        path: '/raw',
        parameters: [{ name: 'body', in: 'body', schema: { type: 'string' }, required: true }],
        body: { mediaType: 'application/octet-stream', shape: 'whole', binary: true },
      },
    });
    expect(made.status).toBe(201);
    await adding.stop();
    gateway = await serve();
  });
  afterAll(async () => {
    gateway.child.kill('SIGKILL');
    await gateway.exited;
    await upstream.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
  });

  async function call(name: string, args: object) {
    const { body, headers } = modern('tools/call', { name, arguments: args });
    return (await post(`${gateway.url}/mcp/default`, body, { ...headers, connection: 'close' })).json.result;
  }
  /** An address for a file, and the handle that it will have. */
  async function requestUpload() {
    const { text } = (await call('request_upload', {})).content[0];
    return { url: /https?:\/\/\S+/.exec(text)![0], handle: /upload_[\w-]+/.exec(text)![0] };
  }
  /** Begins an upload that stops in the middle, once some of it is in the store. */
  async function uploadHalf(url: string): Promise<ClientRequest> {
    const before = await countParts();
    const sending = request(url, { method: 'PUT', headers: { 'content-length': bytes } });
    sending.on('error', () => {});
    sending.write(content.subarray(0, bytes / 2));
    await vi.waitFor(async () => expect(await countParts()).toBeGreaterThan(before), { timeout: 60_000 });
    return sending;
  }
  async function upload(url: string): Promise<[number | undefined, unknown]> {
    const sending = request(url, { method: 'PUT', headers: { 'content-length': bytes } });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    sending.end(content);
    const [answer] = await answered;
    return [answer.statusCode, JSON.parse(await bodyOf(answer))];
  }
  const count = (table: string) =>
    editRows(place, async ({ run }) => Number((await run(`select count(*) as n from ${table}`))[0]!['n']));
  const countParts = () => count('kept_reply_parts');

  it('by its sender leaves nothing but a place that takes another try', async () => {
    const { url, handle } = await requestUpload();
    const sending = await uploadHalf(url);
    sending.destroy();
    await vi.waitFor(async () => expect([await countParts(), await count('kept_replies')]).toEqual([0, 1]), {
      timeout: 60_000,
    });
    const early = await call('put_raw', { body: handle });
    expect([early.isError, early.content[0].text]).toEqual([true, expect.stringContaining('no file')]);
    expect(await upload(url)).toEqual([201, { handle, bytes, sha256: hashOfNoise(bytes) }]);
    await call('put_raw', { body: handle });
    expect(upstream.sent.at(-1)).toMatchObject({ bytes, sha256: hashOfNoise(bytes) });
  });

  it('by the end of the gateway leaves a place that takes another try, and what came is cleared away', async () => {
    const { url, handle } = await requestUpload();
    const sending = await uploadHalf(url);
    const partsBefore = await countParts();
    gateway.child.kill('SIGKILL');
    await gateway.exited;
    sending.destroy();
    expect(await countParts()).toBeGreaterThanOrEqual(partsBefore);
    gateway = await serve();
    const early = await call('put_raw', { body: handle });
    expect([early.isError, early.content[0].text]).toEqual([true, expect.stringContaining('no file')]);
    const again = new URL(new URL(url).pathname, gateway.url).href;
    expect(await upload(again)).toEqual([201, { handle, bytes, sha256: hashOfNoise(bytes) }]);
    await call('put_raw', { body: handle });
    expect(upstream.sent.at(-1)).toMatchObject({ bytes, sha256: hashOfNoise(bytes) });

    // Once its time is over, housekeeping takes all of it away.
    gateway.child.kill('SIGTERM');
    await gateway.exited;
    const realNow = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + (handleSeconds + 60) * 1_000);
    try {
      const later = await startGateway({ ...shared, dataDir });
      await later.gateway.context.replies.kept.sweep();
      await later.stop();
    } finally {
      clock.mockRestore();
    }
    expect([await countParts(), await count('kept_replies')]).toEqual([0, 0]);
  });
});
