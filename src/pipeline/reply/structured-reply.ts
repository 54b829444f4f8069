import type { JsonSchema } from '../../domain/json-schema.ts';
import { compileSchema, type SchemaCheck, SchemaError } from '../../lib/json/json-schema.ts';
import { type AdvertisedOutput, listKey } from './output-schema.ts';

/** The structured content of a reply. */
export interface Structured {
  /** JSON text of an object that matches the advertised schema; null if there is none. */
  readonly text: string | null;
  /** Why there is none, if there should be one. */
  readonly refusal: string | null;
}

/** Turns a reply's text into structured content, or says why it has none. */
export type ReadStructure = (text: string) => Structured;

const none: Structured = { text: null, refusal: null };

/**
 * Compiles the advertised output schema. Clients check structured content against it and fail the whole call on a
 * mismatch, so content that does not match is never sent.
 */
export function structureReader({ schema, wrapped }: AdvertisedOutput): ReadStructure {
  let check: SchemaCheck | null = null;
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { text: null, refusal: 'the reply is not JSON' };
    }
    if (wrapped) value = { [listKey]: value };
    else if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { text: null, refusal: 'the reply is not an object' };
    check ??= compileTolerantly(schema);
    const [violation] = check(value);
    if (violation !== undefined)
      return { text: null, refusal: `${violation.path || '/'} ${violation.message}`.slice(0, 300) };
    return { text: wrapped ? `{"${listKey}":${text}}` : text, refusal: null };
  };
}

/** For tools that advertise nothing. */
export const noStructure: ReadStructure = () => none;

// An unusable schema loses the structured content, not the call.
function compileTolerantly(schema: JsonSchema): SchemaCheck {
  try {
    return compileSchema(schema);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const message = `the advertised schema cannot be used: ${error.message}`;
    return () => [{ path: '', keyword: 'schema', message }];
  }
}
