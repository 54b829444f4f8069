/** How a file is described where its content is not shown: in records, and to models. */
export interface FileFacts {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** A file that is read in chunks, and again for every attempt to send it. */
export interface ReadableFile extends FileFacts {
  chunks(): AsyncIterable<Uint8Array>;
}

/** A stored file, and how to get it. */
export interface PlacedFile extends FileFacts {
  readonly handle: string;
  readonly expiresAtMs: number;
  /** Where people can download it, and until when; null if the gateway has no public address. */
  readonly link: { readonly url: string; readonly untilMs: number } | null;
}

/** Writes a reply's body into the store, because it is a file. */
export interface FileSink {
  /** Await this before writing more. */
  write(chunk: Uint8Array): Promise<void>;
  /** Completes the file. */
  keep(about: Pick<FileFacts, 'name' | 'mediaType'>): Promise<PlacedFile>;
  discard(): Promise<void>;
}

/** A reply's body that was written into the store. */
export interface ReceivedFile {
  /** Its first bytes, which may reveal its type. */
  readonly start: Buffer;
  readonly bytes: number;
  readonly sink: FileSink;
}

/** A file that was fetched for one call. */
export interface FetchedFile extends ReadableFile {
  /** Deletes it. */
  discard(): Promise<void>;
}

/** The files that the arguments of a call refer to, by the argument's text. */
export type OpenedFiles = ReadonlyMap<string, ReadableFile>;
