import type { DocumentOverlay } from '../../domain/api.ts';

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
