import { finished, type Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { HandrailError } from '../../domain/errors.ts';

/** The file of a form, whose content arrives while it is read. */
export interface FormFile {
  readonly name: string;
  readonly mediaType: string;
  readonly chunks: AsyncIterable<Buffer>;
}

// The parser's search for a boundary takes time that grows with the boundary. RFC 2046 allows 70 characters.
const maxTypeLength = 200;
const limits = { files: 1, fields: 0, parts: 100, headerSize: 16 * 1024 };

/** Finds the first file with a name in a form that a browser sends (RFC 7578). Null when the form has none. */
export async function findFormFile(body: Readable, contentType: string): Promise<FormFile | null> {
  const form = await createParser(contentType);
  return new Promise((resolve, reject) => {
    let file: Readable | undefined;
    const fail = (why: string) => {
      const error = malformed(why);
      body.unpipe(form);
      reject(error);
      file?.destroy(error);
    };
    form.on('file', (_field, stream, name, _encoding, mediaType) => {
      file = stream;
      // The parser also emits its own errors here, after those of the form.
      stream.on('error', () => {});
      resolve({ name: name.replaceAll('%22', '"'), mediaType, chunks: chunksOf(stream) });
    });
    form.on('finish', () => resolve(null));
    form.on('error', () => fail('it is incomplete'));
    form.on('partsLimit', () => fail(`it has more than ${limits.parts} parts`));
    finished(body, { writable: false }, (error) => {
      if (error) fail('it is incomplete');
    });
    body.pipe(form);
  });
}

async function createParser(contentType: string): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy');
  try {
    if (/^multipart\/form-data\s?;/i.test(contentType) && contentType.length <= maxTypeLength)
      return new Busboy({
        headers: { 'content-type': contentType },
        limits,
        // A browser sends a nameless file when none was chosen.
        isPartAFile: (_field, _type, name) => name !== undefined && name !== '',
      });
  } catch {
    // It has no boundary.
  }
  throw malformed('its content type must be multipart/form-data with a boundary');
}

async function* chunksOf(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* file;
  } catch (error) {
    throw error instanceof HandrailError ? error : malformed('it is incomplete');
  }
}

function malformed(why: string): HandrailError {
  return new HandrailError('invalid_request', `The form can't be read: ${why}.`);
}
