import type { ApiSource, DocumentOverlay } from '../../domain/api.ts';
import type { ApiDescription, DescribedServer } from '../../domain/description.ts';

/** One input file of an import. */
export interface ImportFile {
  readonly name: string;
  /** Bytes, possibly gzipped; or text. */
  readonly content: Uint8Array | string;
  /** The content is base64-encoded. */
  readonly isBase64?: boolean;
}

/** What to read: one file, or a folder's files with the name of the main document. */
export interface ImportInput {
  readonly files: readonly ImportFile[];
  /** The main document; detected by content if absent. */
  readonly root?: string;
  /** Where the document was fetched from. */
  readonly documentUrl?: string;
  /** Applied to the document before it is read. */
  readonly overlays?: readonly DocumentOverlay[];
  /** Stored overlays of existing APIs, by slug: applied if none are given and the document belongs to that API. */
  readonly keptOverlays?: Readonly<Record<string, readonly DocumentOverlay[]>>;
}

/** A parsed document: one API or several. */
export interface ParsedImport {
  readonly kind: ApiSource['kind'];
  /** SHA-256 of all bytes. */
  readonly documentHash: string;
  readonly apis: readonly ApiDescription[];
  /** Servers that use them; only in Handrail's own export. */
  readonly servers?: readonly DescribedServer[];
}

/** How much of the document has been read. */
export interface ImportProgress {
  readonly done: number;
  readonly total: number;
}

/** What a format reader gets in addition to the document. */
export interface ReadContext {
  /** The name of the main file. */
  readonly root: string;
  /** The parsed input files, by name. */
  readonly files: ReadonlyMap<string, unknown>;
  readonly documentUrl?: string;
  readonly overlays?: readonly DocumentOverlay[];
  readonly keptOverlays?: Readonly<Record<string, readonly DocumentOverlay[]>>;
  readonly onProgress: (done: number, total: number) => void;
}
