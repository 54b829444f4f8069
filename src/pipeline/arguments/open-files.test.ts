import { describe, expect, it } from 'vitest';
import type { Arguments } from './checked-arguments.ts';
import type { Call, CallFiles } from '../call.ts';
import { openFiles } from './open-files.ts';

const maxBytes = 1_000;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an argument holds itself needs nothing else of it
const files = { maxBytes, handleIn: () => null } as unknown as CallFiles;

function open(value: string) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- neither is looked at
  return openFiles({} as Call, {} as Arguments, () => [{ name: 'file', value }], files, 0);
}

const inBase64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');

describe('a file that an argument holds itself', () => {
  it.each([
    ['base64 text', inBase64(maxBytes), inBase64(maxBytes + 1)],
    ['a data URL', `data:a/b;base64,${inBase64(maxBytes)}`, `data:a/b;base64,${inBase64(maxBytes + 1)}`],
    ['a data URL that is plain', `data:,${'x'.repeat(maxBytes)}`, `data:,${'x'.repeat(maxBytes + 1)}`],
    ['a data URL that is text', `data:,${'%C3%A9'.repeat(500)}`, `data:,${'%C3%A9'.repeat(500)}x`],
  ])('may be as large as a file may be, and no larger: %s', async (_, most, more) => {
    expect((await open(most)).opened.size).toBe(0);
    await expect(open(more)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('file: the file is larger than the limit of 1000 bytes'),
    });
  });
});
