import type { PlainObject } from '../lib/json/plain-object.ts';
import type { Located, Resolver } from './bundle.ts';
import type { SchemaSet } from './schemas/schema-set.ts';

export type DocumentVersion = '2.0' | '3.0' | '3.1' | '3.2';

/** State shared by all steps of reading one document. */
export interface Reading {
  readonly version: DocumentVersion;
  readonly root: Located<PlainObject>;
  readonly resolver: Resolver;
  readonly inputs: SchemaSet;
  readonly outputs: SchemaSet;
  /** Where the document itself was fetched from, for relative server URLs. */
  readonly documentUrl?: string;
}

/** One operation as written in the document. */
export interface OperationEntry {
  readonly method: string;
  readonly path: string;
  readonly pathItem: Located<PlainObject>;
  readonly operation: Located;
}
