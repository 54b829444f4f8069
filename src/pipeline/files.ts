import { HandrailError } from '../domain/errors.ts';

/** What is told of a file wherever its content is not: in records, and to models. */
export interface FileFacts {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** A file that can be read as often as it is sent, a part at a time. */
export interface ReadableFile extends FileFacts {
  chunks(): AsyncIterable<Uint8Array>;
}

/** A file that is kept, and how it can be had. */
export interface PlacedFile extends FileFacts {
  readonly handle: string;
  readonly expiresAtMs: number;
  /** Where people can download it, and until when; null where nobody can reach this gateway. */
  readonly link: { readonly url: string; readonly untilMs: number } | null;
}

/** A reply's body on its way into the store, because it is a file. */
export interface FileSink {
  /** To be awaited before more is given. */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends it. */
  keep(about: Pick<FileFacts, 'name' | 'mediaType'>): Promise<PlacedFile>;
  discard(): Promise<void>;
}

/** A reply's body that went into the store. */
export interface ReceivedFile {
  /** Its first bytes, which may tell its type. */
  readonly start: Buffer;
  readonly bytes: number;
  readonly sink: FileSink;
}

/** A file that was read from elsewhere for one call. */
export interface FetchedFile extends ReadableFile {
  /** Forgets it again. */
  discard(): Promise<void>;
}

/** The files that the arguments of a call name, by what the arguments say. */
export type OpenedFiles = ReadonlyMap<string, ReadableFile>;

/** The refusal of a file that is larger than any may be. */
export function fileTooLarge(maxBytes: number): HandrailError {
  return new HandrailError(
    'reply_too_large',
    `The file is larger than the limit of ${maxBytes} bytes. The operator can raise it (HANDRAIL_MAX_FILE_BYTES).`,
  );
}
