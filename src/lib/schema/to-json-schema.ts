import type { AnySchema, Form } from './schema.ts';

type Document = Record<string, unknown>;

/** The JSON Schema (draft 2020-12) of a schema, for documents. Rules that a form can't express are left out. */
export function toJsonSchema({ form, says }: AnySchema): Document {
  return { ...formOf(form), ...(says !== null && { description: says }) };
}

function formOf(form: Form): Document {
  switch (form.is) {
    case 'text':
      return {
        type: 'string',
        ...(form.min > 0 && { minLength: form.min }),
        ...(form.max < Number.MAX_SAFE_INTEGER && { maxLength: form.max }),
        ...(form.pattern !== null && { pattern: form.pattern.source }),
      };
    case 'integer':
      return { type: 'integer', minimum: form.min, maximum: form.max };
    case 'flag':
      return { type: 'boolean' };
    case 'choice':
      return form.values.length === 1
        ? { const: form.values[0] }
        : {
            ...(form.values.every((value) => typeof value === 'string') && { type: 'string' }),
            enum: [...form.values],
          };
    case 'list':
      return {
        type: 'array',
        items: toJsonSchema(form.item),
        ...(form.min > 0 && { minItems: form.min }),
        maxItems: form.max,
      };
    case 'record':
      return { type: 'object', additionalProperties: toJsonSchema(form.value), maxProperties: form.max };
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries([...form.fields].map(([name, field]) => [name, toJsonSchema(field)])),
        ...(form.required.length > 0 && { required: [...form.required] }),
        additionalProperties: false,
      };
    case 'variants':
    case 'by-key':
      return { anyOf: [...form.options.values()].map(toJsonSchema) };
    case 'nullable':
      return { anyOf: [toJsonSchema(form.inner), { type: 'null' }] };
    case 'json':
      return form.kind === 'schema' ? { type: 'object', additionalProperties: {} } : {};
  }
}
