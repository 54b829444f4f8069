import type { ApiSource } from '../domain/api.ts';
import type { ApiDescription } from '../domain/description.ts';

/** One file of an import, as it was handed in. */
export interface ImportFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What to read: one file, or a folder's files with the name of the one to begin with. */
export interface ImportInput {
  readonly files: readonly ImportFile[];
  /** The file to begin with; found by its content when absent. */
  readonly root?: string;
  /** Where the document was fetched from. */
  readonly documentUrl?: string;
}

/** A document, read: one API or several. */
export interface ParsedImport {
  readonly kind: ApiSource['kind'];
  /** SHA-256 of all bytes. */
  readonly documentHash: string;
  readonly apis: readonly ApiDescription[];
}

/** How far reading has come. */
export interface ImportProgress {
  readonly done: number;
  readonly total: number;
}
