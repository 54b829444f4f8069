import type { z } from 'zod';
import type { JsonSchema } from '../../domain/json-schema.ts';
import type { Operation } from '../../domain/operation.ts';
import type { operation } from '../contract/tools.ts';

const handsaiTypes: Readonly<Record<string, JsonSchema>> = {
  STRING: { type: 'string' },
  NUMBER: { type: 'number' },
  BOOLEAN: { type: 'boolean' },
  ARRAY: { type: 'array', items: {} },
  OBJECT: { type: 'object' },
};

/** Reads an operation as it is sent: HandsAI's type names become schemas. */
export function readOperation(input: z.output<typeof operation>): Operation {
  return {
    ...input,
    parameters: input.parameters.map(({ type, schema, ...parameter }) => ({
      ...parameter,
      schema: schema ?? (type === undefined ? {} : handsaiTypes[type]!),
    })),
  };
}
