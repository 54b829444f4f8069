import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHandrail } from '../../support/command.ts';
import { adminToken, type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { addFileTools } from '../../support/servers/file-tools.ts';
import { hashOfNoise, noise, serveFiles, sha256 } from '../../support/servers/file-upstream.ts';

const mebibyte = 1024 * 1024;
const maxFileBytes = 8 * mebibyte;
// More than the body of a call may be.
const large = 5 * mebibyte + 11;

describe.each(['a gateway', 'a data folder'])('files of this machine through %s', (where) => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-files-'));
  const given = join(folder, 'report 1.bin');
  let upstream: Awaited<ReturnType<typeof serveFiles>>;
  let running: RunningGateway;

  beforeAll(async () => {
    writeFileSync(given, Buffer.concat([...noise(large)]));
    upstream = await serveFiles();
    running = await startGateway({ egressAllow: ['127.0.0.1'], maxFileBytes });
    await addFileTools(running, upstream.origin);
    await running.admin('POST', '/servers', { slug: 'keys', name: 'Keys', tools: '*', policy: 'key' });
  });
  afterAll(async () => {
    await running.stop();
    await upstream.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const call = (...words: string[]) =>
    where === 'a gateway'
      ? runHandrail(['call', ...words, '--url', running.url], { HANDRAIL_ADMIN_TOKEN: adminToken })
      : runHandrail(['call', ...words, '--data-dir', running.dataDir], {
          HANDRAIL_EGRESS_ALLOW: '127.0.0.1',
          HANDRAIL_MAX_FILE_BYTES: String(maxFileBytes),
        });

  it.each([{ server: [] }, { server: ['--server', 'keys'] }])(
    'sends one that no argument could hold $server',
    async ({ server }) => {
      const { code, stderr } = await call('put_raw', '--file', `body=${given}`, ...server);
      expect([code, stderr]).toEqual([0, '']);
      expect(upstream.sent.at(-1)).toMatchObject({ bytes: large, sha256: hashOfNoise(large) });
    },
  );

  it('sends several in one form, under their names', async () => {
    const small = join(folder, 'small.txt');
    writeFileSync(small, 'hello');
    const { code, stderr } = await call('post_form', '--file', `other=${small}`, '--file', `file=${given}`);
    expect([code, stderr]).toEqual([0, '']);
    expect(upstream.sent.at(-1)!.start).toContain('filename="report 1.bin"');
    expect(upstream.sent.at(-1)!.bytes).toBeGreaterThan(large);
  });

  it('writes a large one that an API sends, and says how large it is', async () => {
    const out = join(folder, 'out.zip');
    const words = ['get_file', '--arg', `bytes=${large}`, '--arg', 'type=application/zip', '--output', out];
    const { code, stdout, stderr } = await call(...words, '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ file: out, bytes: large });
    expect(sha256(readFileSync(out))).toBe(hashOfNoise(large));
  });

  it.each([
    {
      what: 'one that is larger than the gateway takes',
      bytes: maxFileBytes + 1,
      words: ['put_raw', '--file', 'body='],
      says: 'HANDRAIL_MAX_FILE_BYTES',
    },
    {
      what: 'a large one for an argument that is a text',
      bytes: large,
      words: ['post_form', '--arg', 'file=aGVsbG8=', '--file', 'title='],
      says: 'title of post_form is text, not a file',
    },
  ])('refuses $what before the API hears of it', async ({ bytes, words, says }) => {
    const path = join(folder, `refused-${bytes}.bin`);
    writeFileSync(path, Buffer.alloc(bytes));
    const before = upstream.sent.length;
    const { code, stderr } = await call(...words.slice(0, -1), `${words.at(-1)}${path}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(upstream.sent).toHaveLength(before);
  });

  it('refuses a folder in place of a file', async () => {
    const { code, stderr } = await call('put_raw', '--file', `body=${folder}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not a file')]);
    expect(existsSync(given)).toBe(true);
  });
});
