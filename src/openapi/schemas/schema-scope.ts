import type { ImportNote } from '../../domain/description.ts';
import type { JsonSchema } from '../../domain/json-schema.ts';
import type { Located, Place, Resolver } from '../bundle.ts';
import type { Notes } from '../notes.ts';

/** Inputs leave out `readOnly` properties, outputs `writeOnly` ones. */
export type Direction = 'input' | 'output';

/** Which rules a document's schemas follow. */
export type Dialect = '2.0' | '3.0' | '3.1';

/** A schema that others refer to, converted once for the whole document. */
export interface SchemaDef {
  readonly name: string;
  schema: JsonSchema;
  readonly refs: Set<SchemaDef>;
  /** References that apply to the same value, through which a cycle would never end. */
  readonly sameValueRefs: Set<SchemaDef>;
  notes: readonly ImportNote[];
  done: boolean;
  bytes: number;
  /** The definition without its prose, once that was needed. */
  shape?: SchemaDef;
}

/** What a conversion produces in addition to its result. */
export interface Scope {
  readonly notes: Notes;
  readonly refs: Set<SchemaDef>;
  readonly sameValueRefs: Set<SchemaDef>;
  /** Whether the schema being converted applies to the same value as the scope's own. */
  sameValue: boolean;
  depth: number;
  /** The place of the definition being converted, if it is one. */
  origin?: string;
  /** Parents whose own keywords are being merged in, so that none is opened inside itself. */
  readonly parents: Set<string>;
}

/** Access to the other schemas while converting one. */
export interface Schemas {
  readonly direction: Direction;
  readonly dialect: Dialect;
  readonly resolver: Resolver;
  convert(schema: Located, scope: Scope): JsonSchema;
  define(ref: string, from: Place, scope: Scope): SchemaDef | null;
  inlines(def: SchemaDef): boolean;
  /** The schema behind `#/$defs/NAME`; null while it is still being converted. */
  definition(ref: string): JsonSchema | null;
  /** The definitions that it refers to. */
  refsOf(ref: string): Iterable<SchemaDef>;
}

/** Converts a schema for a part of the value: a property, an item. */
export function convertChild(value: unknown, at: Place, scope: Scope, set: Schemas): JsonSchema {
  const before = scope.sameValue;
  scope.sameValue = false;
  const converted = set.convert({ value, at }, scope);
  scope.sameValue = before;
  return converted;
}
