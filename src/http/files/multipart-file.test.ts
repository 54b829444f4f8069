import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { findFormFile } from './multipart-file.ts';

const type = 'multipart/form-data; boundary=mark';

function part(head: string, content: string | Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`--mark\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
}

const end = Buffer.from('--mark--\r\n');

async function read(body: Readable, contentType = type) {
  const file = await findFormFile(body, contentType);
  if (file === null) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks) chunks.push(chunk);
  return { name: file.name, mediaType: file.mediaType, content: Buffer.concat(chunks) };
}

it('finds the first file with a name, however the form is cut into chunks', async () => {
  const form = (content: Buffer) =>
    Buffer.concat([
      part('name="text"', 'x'.repeat(300)),
      part('name="none"; filename=""\r\nContent-Type: application/octet-stream', ''),
      part('name="file"; filename="caf\u00e9 %221%22.png"\r\nContent-Type: image/png', content),
      part('name="second"; filename="b.png"', 'not this one'),
      end,
    ]);
  const near = fc.constantFrom('\r\n', '--', '\r\n--mar', '-', 'mark', '\0', 'a'.repeat(100));
  await fc.assert(
    fc.asyncProperty(
      fc.array(near, { maxLength: 20 }),
      fc.integer({ min: 1, max: 400 }),
      async (pieces, size) => {
        const content = Buffer.from(pieces.join('').replaceAll('\r\n--mark', ''));
        const whole = form(content);
        const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
          whole.subarray(i * size, (i + 1) * size),
        );
        expect(await read(Readable.from(chunks))).toEqual({
          name: 'caf\u00e9 "1".png',
          mediaType: 'image/png',
          content,
        });
      },
    ),
  );
});

it('finds none in a form without a chosen file', async () => {
  const form = [part('name="file"; filename=""', ''), part('name="text"', 'x'), end];
  expect(await read(Readable.from(form))).toBeNull();
  expect(await read(Readable.from([end]))).toBeNull();
});

it('rejects a form that ends anywhere before its last boundary', async () => {
  const whole = Buffer.concat([
    part('name="text"', 'x'),
    part('name="file"; filename="a.txt"', 'content'),
    end,
  ]);
  for (let length = 0; length < whole.length - end.length; length++)
    await expect(read(Readable.from([whole.subarray(0, length)])), String(length)).rejects.toThrow(
      'incomplete',
    );
});

it('rejects a form whose sender hangs up', async () => {
  for (const sent of [part('name="text"', 'x'), part('name="file"; filename="a.txt"', 'x')]) {
    const body = new Readable({ read() {} });
    body.push(sent);
    setImmediate(() => body.destroy());
    await expect(read(body)).rejects.toThrow('incomplete');
  }
});

it('stops reading a form of too many parts', async () => {
  let sent = 0;
  const chunk = Buffer.concat(Array.from({ length: 60 }, () => part('name="text"', 'x')));
  const body = Readable.from(
    (function* () {
      for (; sent < 500; sent++) yield chunk;
    })(),
  );
  await expect(read(body)).rejects.toThrow('more than 100 parts');
  expect(sent).toBeLessThan(100);
});

it.each([
  '',
  'text/plain',
  'application/x-www-form-urlencoded; boundary=mark',
  'multipart/form-data',
  'multipart/form-data; charset=utf-8',
  `multipart/form-data; boundary=${'a'.repeat(200)}`,
])('rejects the content type %j', async (contentType) => {
  await expect(read(Readable.from([end]), contentType)).rejects.toMatchObject({ code: 'invalid_request' });
});
