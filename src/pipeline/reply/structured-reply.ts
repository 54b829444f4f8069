import type { JsonSchema } from '../../domain/json-schema.ts';
import { compileSchema, type SchemaCheck, SchemaError } from '../../lib/json/json-schema.ts';
import { type AdvertisedOutput, listKey } from './output-schema.ts';

/** The structured content of a reply. */
export interface Structured {
  /** JSON text of an object that the advertised schema takes; null when there is none. */
  readonly text: string | null;
  /** Why there is none although the reply is JSON; null when nothing is wrong. */
  readonly refusal: string | null;
}

/** Makes structured content of a reply's text, or says why it has none. */
export type ReadStructure = (text: string) => Structured;

const none: Structured = { text: null, refusal: null };

/**
 * Compiles what a tool advertises about its results. Clients check structured content against that and fail the whole
 * call when it does not fit, so nothing is sent that does not.
 */
export function structureReader({ schema, wrapped }: AdvertisedOutput): ReadStructure {
  let check: SchemaCheck | null = null;
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { text: null, refusal: 'the reply is no JSON' };
    }
    if (wrapped) value = { [listKey]: value };
    else if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { text: null, refusal: 'the reply is no object' };
    check ??= compileTolerantly(schema);
    const [violation] = check(value);
    if (violation !== undefined)
      return { text: null, refusal: `${violation.path || '/'} ${violation.message}`.slice(0, 300) };
    return { text: wrapped ? `{"${listKey}":${text}}` : text, refusal: null };
  };
}

/** For tools that advertise nothing. */
export const noStructure: ReadStructure = () => none;

// A schema that cannot be used fails what it promised, not the call.
function compileTolerantly(schema: JsonSchema): SchemaCheck {
  try {
    return compileSchema(schema);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const message = `the advertised schema cannot be used: ${error.message}`;
    return () => [{ path: '', keyword: 'schema', message }];
  }
}
