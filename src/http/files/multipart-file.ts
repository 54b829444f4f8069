import { finished, type Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { httpErrors } from '../../domain/error-messages/http.ts';
import { HandrailError } from '../../domain/errors.ts';

/** A file in a form; its content arrives while it is being read. */
export interface FormFile {
  readonly name: string;
  readonly mediaType: string;
  readonly chunks: AsyncIterable<Buffer>;
}

// The parser takes longer to search for a longer boundary. RFC 2046 allows 70 characters.
const maxTypeLength = 200;
const limits = { files: 1, fields: 0, parts: 100, headerSize: 16 * 1024 };

/** Finds the first named file in a form sent by a browser (RFC 7578). Null when there is none. */
export async function findFormFile(body: Readable, contentType: string): Promise<FormFile | null> {
  const form = await createParser(contentType);
  return new Promise((resolve, reject) => {
    let file: Readable | undefined;
    const fail = (why: string) => {
      const error = httpErrors.malformedForm({ why });
      body.unpipe(form);
      reject(error);
      file?.destroy(error);
    };
    form.on('file', (_field, stream, name, _encoding, mediaType) => {
      file = stream;
      // The parser also emits its errors here, after emitting them on the form.
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
        // Browsers send a file without a name when none was chosen.
        isPartAFile: (_field, _type, name) => name !== undefined && name !== '',
      });
  } catch {
    // It has no boundary.
  }
  throw httpErrors.malformedForm({ why: 'its content type must be multipart/form-data with a boundary' });
}

async function* chunksOf(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* file;
  } catch (error) {
    throw error instanceof HandrailError ? error : httpErrors.malformedForm({ why: 'it is incomplete' });
  }
}
