import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMaskText, keepText } from '../../lib/secrets/mask-secrets.ts';
import type { FileSink } from '../files.ts';
import { maskBytes, maskedSink } from './mask-bytes.ts';

const secret = 'sk-live-0123456789';
const maskSecrets = createMaskText([secret]);

class Gathered implements FileSink {
  readonly chunks: Buffer[] = [];
  async write(chunk: Uint8Array): Promise<void> {
    this.chunks.push(Buffer.from(chunk));
  }
  async keep(): Promise<never> {
    return undefined as never;
  }
  async discard(): Promise<void> {}
}

async function written(bytes: Buffer, chunkBytes: number): Promise<Buffer> {
  const gathered = new Gathered();
  const sink = maskedSink(gathered, maskSecrets);
  for (let at = 0; at < bytes.length; at += chunkBytes) await sink.write(bytes.subarray(at, at + chunkBytes));
  await sink.keep({ name: 'a', mediaType: 'b' });
  return Buffer.concat(gathered.chunks);
}

describe('masking bytes', () => {
  it('masks text of any declared type and leaves binary data unchanged', () => {
    expect(maskBytes(Buffer.from(`key=${secret}`), maskSecrets).toString()).toBe('key=[masked]');
    const binary = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(secret)]);
    expect(maskBytes(binary, maskSecrets)).toBe(binary);
    const text = Buffer.from('nothing here');
    expect(maskBytes(text, maskSecrets)).toBe(text);
  });

  it('adds nothing to a sink when there is no secret', () => {
    const sink = new Gathered();
    expect(maskedSink(sink, keepText)).toBe(sink);
  });
});

describe('masking a file while it is written', () => {
  const line = 'ein Wort – 字 – 🙂, ';

  it.each([7, 1_000, 16_384, 65_536, 1_000_000])('masks across chunks of %i bytes', async (chunkBytes) => {
    const spelled = [
      secret,
      [...secret].join('\u200b'),
      [...secret].map((c) => `&#${c.charCodeAt(0)};`).join(''),
    ];
    const text = (values: readonly string[]) =>
      values.map((value, at) => line.repeat(3_001 + 7 * at) + value).join('') + line;
    const result = await written(Buffer.from(text(spelled)), chunkBytes);
    expect(result.toString()).toBe(text(spelled.map(() => '[masked]')));
  });

  it('leaves a file that turns out to be binary unchanged', async () => {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(300_000)]);
    expect((await written(bytes, 4_096)).equals(bytes)).toBe(true);
  });

  it('leaves text without secrets unchanged', async () => {
    const bytes = Buffer.from(line.repeat(20_000));
    expect((await written(bytes, 4_099)).equals(bytes)).toBe(true);
  });
});
