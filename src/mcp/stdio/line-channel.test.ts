import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createLineChannel } from './line-channel.ts';

/** What a channel makes of bytes that come in these pieces and then end. */
async function read(...pieces: readonly (string | Buffer)[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const channel = createLineChannel(input, output);
  const messages: unknown[] = [];
  channel.listen((message) => messages.push(message));
  for (const piece of pieces) input.write(piece);
  input.end();
  await channel.ended;
  const said = (output.read() as Buffer | null)?.toString() ?? '';
  const errors = said
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { error: { code: number } }).error.code);
  return { messages, errors };
}

it('reads lines however they are cut and ended', async () => {
  expect(await read('{"a"', ':1}\r\n\n', '\r\n{"b":2}\n{"c"', ':3}')).toEqual({
    messages: [{ a: 1 }, { b: 2 }, { c: 3 }],
    errors: [],
  });
});

it('takes a byte order mark before the first line only', async () => {
  expect(await read('\uFEFF{"a":1}\n\uFEFF{"b":2}\n{"c":3}\n')).toEqual({
    messages: [{ a: 1 }, { c: 3 }],
    errors: [-32_700],
  });
});

it('refuses what is not JSON, not UTF-8 or not a message, and reads on', async () => {
  const bad = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a]);
  expect(await read('nonsense\n', bad, 'null\n5\n"text"\n', '{"a":1,"a":2}\n', '{"b":2}\n')).toEqual({
    messages: [{ b: 2 }],
    errors: [-32_700, -32_700, -32_600, -32_600, -32_600, -32_700],
  });
});

it('refuses a line that is too long without keeping it, and reads on', async () => {
  const long = Buffer.alloc(1024 * 1024, 0x20);
  expect(await read(long, long, long, long, long, '\n{"b":2}\n')).toEqual({
    messages: [{ b: 2 }],
    errors: [-32_700],
  });
});
