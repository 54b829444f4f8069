import type { JsonSchema } from '../../domain/json-schema.ts';
import type { Operation } from '../../domain/operation.ts';
import type { Infer } from '../../lib/schema/schema.ts';
import type { operationInput } from '../contract/tools.ts';

const handsaiTypes: Readonly<Record<string, JsonSchema>> = {
  STRING: { type: 'string' },
  NUMBER: { type: 'number' },
  BOOLEAN: { type: 'boolean' },
  ARRAY: { type: 'array', items: {} },
  OBJECT: { type: 'object' },
};

/** Reads an operation from a request, converting HandsAI's type names to schemas. */
export function readOperation({ parameters = [], ...input }: Infer<typeof operationInput>): Operation {
  return {
    ...input,
    method: input.method.toUpperCase(),
    parameters: parameters.map(({ type, schema, required, ...parameter }) => ({
      ...parameter,
      required: required ?? false,
      schema: schema ?? (type === undefined ? {} : handsaiTypes[type]!),
    })),
  };
}
