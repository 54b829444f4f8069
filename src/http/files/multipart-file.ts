import { HandrailError } from '../../domain/errors.ts';

/** The file of a form, whose content comes while it is read. */
export interface FormFile {
  readonly name: string;
  readonly mediaType: string;
  readonly chunks: AsyncIterable<Buffer>;
}

const longestHead = 16 * 1024;
const lineEnd = Buffer.from('\r\n');
const headEnd = Buffer.from('\r\n\r\n');

/**
 * Finds the first file with a name in a form that a browser sends (RFC 7578). Nothing of it is held but a piece that may
 * be the beginning of a boundary. Null when the form has none.
 */
export async function findFormFile(
  body: AsyncIterable<Buffer>,
  contentType: string,
): Promise<FormFile | null> {
  const boundary = /;\s?boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType.slice(0, 500));
  if (boundary === null) throw malformed('it names no boundary');
  const mark = Buffer.from(`\r\n--${boundary[1] ?? boundary[2]!}`);
  const form = new FormReader(body);
  await form.skipTo(mark);
  for (;;) {
    if ((await form.take(2)).toString('latin1') === '--') return null;
    form.putBack(lineEnd);
    const head = (await form.takeTo(headEnd, longestHead)).toString('utf8');
    const file = readHead(head);
    if (file !== null) return { ...file, chunks: form.chunksTo(mark) };
    await form.skipTo(mark);
  }
}

function readHead(head: string): Pick<FormFile, 'name' | 'mediaType'> | null {
  const disposition = /^content-disposition:(.{0,4000})$/im.exec(head)?.[1] ?? '';
  const name = /;\s?filename="([^"]{1,1000})"/i.exec(disposition)?.[1];
  if (name === undefined) return null;
  const type = /^content-type:[ \t]?([^\r\n]{0,200})$/im.exec(head)?.[1]?.trim();
  return { name: name.replaceAll('%22', '"'), mediaType: type ?? '' };
}

/** Reads a body up to marks that stand in it. */
class FormReader {
  readonly #chunks: AsyncIterator<Buffer>;
  // As if a line had ended before, so that the first boundary is like the others.
  #held: Buffer = lineEnd;

  constructor(body: AsyncIterable<Buffer>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  async take(bytes: number): Promise<Buffer> {
    while (this.#held.length < bytes) await this.#more();
    const taken = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    return taken;
  }

  putBack(bytes: Buffer): void {
    this.#held = Buffer.concat([bytes, this.#held]);
  }

  async takeTo(mark: Buffer, longest: number): Promise<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(mark);
      if (at >= 0) {
        const taken = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + mark.length);
        return taken;
      }
      if (this.#held.length > longest) throw malformed('a part of it begins with too many headers');
      await this.#more();
    }
  }

  async skipTo(mark: Buffer): Promise<void> {
    for await (const _skipped of this.chunksTo(mark));
  }

  /** What stands before a mark, as it comes. */
  async *chunksTo(mark: Buffer): AsyncGenerator<Buffer, void> {
    for (;;) {
      const at = this.#held.indexOf(mark);
      if (at >= 0) {
        const last = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + mark.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end of what is here may be the beginning of the mark.
      const sure = Math.max(0, this.#held.length - mark.length + 1);
      const some = this.#held.subarray(0, sure);
      this.#held = this.#held.subarray(sure);
      if (some.length > 0) yield some;
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const next = await this.#chunks.next();
    if (next.done === true) throw malformed('it ends in the middle');
    this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value]);
  }
}

function malformed(why: string): HandrailError {
  return new HandrailError('invalid_request', `The form cannot be read: ${why}.`);
}
