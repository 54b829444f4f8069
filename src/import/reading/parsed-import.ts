import type { ApiSource, DocumentOverlay } from '../../domain/api.ts';
import type { ApiDescription, DescribedServer } from '../../domain/description.ts';

/** One file of an import, as it was handed in. */
export interface ImportFile {
  readonly name: string;
  /** Bytes, gzip or not; text that came as text may stay text. */
  readonly content: Uint8Array | string;
  /** The content is base64 of the bytes that are meant. */
  readonly isBase64?: boolean;
}

/** What to read: one file, or a folder's files with the name of the one to begin with. */
export interface ImportInput {
  readonly files: readonly ImportFile[];
  /** The file to begin with; found by its content when absent. */
  readonly root?: string;
  /** Where the document was fetched from. */
  readonly documentUrl?: string;
  /** Applied to the document before it is read. */
  readonly overlays?: readonly DocumentOverlay[];
  /** Those of APIs that stand, by slug: applied when none are given and the document turns out to be that API's. */
  readonly keptOverlays?: Readonly<Record<string, readonly DocumentOverlay[]>>;
}

/** A document, read: one API or several. */
export interface ParsedImport {
  readonly kind: ApiSource['kind'];
  /** SHA-256 of all bytes. */
  readonly documentHash: string;
  readonly apis: readonly ApiDescription[];
  /** Servers that use them; only Handrail's own export has any. */
  readonly servers?: readonly DescribedServer[];
}

/** How far reading has come. */
export interface ImportProgress {
  readonly done: number;
  readonly total: number;
}

/** What a reader may know besides the document itself. */
export interface ReadContext {
  /** The name of the document's own file. */
  readonly root: string;
  /** The files that were handed in, read, by name. */
  readonly files: ReadonlyMap<string, unknown>;
  readonly documentUrl?: string;
  readonly overlays?: readonly DocumentOverlay[];
  readonly keptOverlays?: Readonly<Record<string, readonly DocumentOverlay[]>>;
  readonly onProgress: (done: number, total: number) => void;
}
