import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { AdminClient } from './admin-client.ts';
import { type KeptFile, saveFile } from './call-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'handrail-save-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const content = Buffer.from('a file of some length');
const kept: KeptFile = {
  handle: 'reply_x',
  name: 'a.bin',
  type: 'application/octet-stream',
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
  path: '/files/x',
  until: '2026-01-01T00:00:00.000Z',
};
const sending = (chunks: () => Iterable<Buffer>) =>
  ({ receiveFile: async () => Readable.from(chunks()) }) as unknown as AdminClient;

describe('saveFile', () => {
  it('writes what comes', async () => {
    const path = join(folder, 'whole');
    await saveFile(
      sending(() => [content.subarray(0, 5), content.subarray(5)]),
      path,
      kept,
    );
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  it.each([
    {
      how: 'breaks off',
      *chunks() {
        yield content.subarray(0, 5);
        throw new Error('the line was cut');
      },
    },
    {
      how: 'ends early',
      *chunks() {
        yield content.subarray(0, 5);
      },
    },
  ])('leaves nothing behind when it $how', async ({ chunks }) => {
    const path = join(folder, 'part');
    await expect(saveFile(sending(chunks), path, kept)).rejects.toThrow(/was incomplete.*reply_x/);
    expect(existsSync(path)).toBe(false);
  });

  it('never writes over a file', async () => {
    const path = join(folder, 'mine');
    writeFileSync(path, 'mine');
    await expect(
      saveFile(
        sending(() => [content]),
        path,
        kept,
      ),
    ).rejects.toThrow('already exists');
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it('says when it cannot be written', async () => {
    const path = join(folder, 'nowhere', 'x');
    await expect(
      saveFile(
        sending(() => [content]),
        path,
        kept,
      ),
    ).rejects.toThrow('cannot be written');
  });
});
