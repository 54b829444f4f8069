import { isObject } from '../../schema/json-values.ts';
import { h } from '../dom.ts';
import { initialValue } from '../arguments/initial-value.ts';
import { propertiesOf, shapeOf } from '../arguments/schema-shape.ts';
import type { Shape } from '../arguments/schema-shape.ts';
import { arrayField, manyChoicesField } from './array-field.ts';
import { absentField } from './field.ts';
import type { Field, FieldSpec, FormContext } from './field.ts';
import { jsonField } from './json-field.ts';
import { objectField } from './object-field.ts';
import { booleanField, choiceField, fileField, numberField, textField, timeField } from './scalar-field.ts';
import { variantField } from './variant-field.ts';

const maxFormDepth = 10;

/** Creates the field for a schema. Optional groups start as a button, which also stops recursive schemas. */
export function createField(context: FormContext, spec: FieldSpec): Field {
  const shape = shapeOf(spec.schema, context.root);
  const composed = shape.type === 'object' || shape.type === 'array' || shape.variants.length > 0;
  const optional = !spec.required && spec.onRemove === undefined;
  if (composed && spec.depth > 0 && (optional || spec.value === null) && !isShortList(context, shape))
    return optionalField(context, spec, shape);
  return fieldFor(context, spec, shape);
}

function fieldFor(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  const { schema, type, variants, nullable } = shape;
  if (spec.depth > maxFormDepth) return jsonField(context, spec, shape);
  if (spec.value === null && nullable) return jsonField(context, spec, shape);
  if ('const' in schema || Array.isArray(schema['enum'])) return choiceField(context, spec, shape);
  if (variants.length > 0) return variantField(context, spec, shape);
  switch (type) {
    case 'object':
      if (spec.value !== undefined && !isObject(spec.value)) return jsonField(context, spec, shape);
      return objectField(context, spec, shape);
    case 'array':
      if (spec.value !== undefined && !Array.isArray(spec.value)) return jsonField(context, spec, shape);
      return isShortList(context, shape)
        ? manyChoicesField(context, spec, shape)
        : arrayField(context, spec, shape);
    case 'integer':
    case 'number':
      return numberField(context, spec, shape);
    case 'boolean':
      return spec.value === undefined || typeof spec.value === 'boolean'
        ? booleanField(context, spec, shape)
        : jsonField(context, spec, shape);
    case 'string':
      if (isFile(schema)) return fileField(context, spec, shape);
      if (schema['format'] === 'date-time') return timeField(context, spec, shape);
      return textField(context, spec, shape);
    default:
      if (spec.depth === 0 && propertiesOf(schema).length > 0) return objectField(context, spec, shape);
      return jsonField(context, spec, shape);
  }
}

/** An optional group: a button while absent, the group with a remove button while present. */
function optionalField(context: FormContext, spec: FieldSpec, shape: Shape): Field {
  let field: Field | null = null;
  const place = h('div', { class: 'optional' });
  function show(value: unknown): void {
    context.forgetBelow(spec.path);
    if (value === undefined || value === null) {
      field = null;
      place.replaceChildren(
        absentField(context, spec, () => change(initialValue(spec.schema, context.root, false, 1))),
      );
      return;
    }
    field = fieldFor(context, { ...spec, value, onRemove: () => change(undefined) }, shape);
    place.replaceChildren(field.element);
  }
  function change(value: unknown): void {
    show(value);
    context.changed(spec.path);
    place.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  }
  show(spec.value);
  const left = spec.value === null ? null : undefined;
  return {
    element: place,
    get: () =>
      field === null
        ? spec.required && shape.nullable
          ? null
          : left === null && shape.nullable
            ? null
            : undefined
        : field.get(),
  };
}

function isShortList(context: FormContext, shape: Shape): boolean {
  if (shape.type !== 'array' || !isObject(shape.schema['items'])) return false;
  const choices = shapeOf(shape.schema['items'], context.root).schema['enum'];
  return Array.isArray(choices) && choices.length <= 12 && shape.schema['uniqueItems'] === true;
}

function isFile(schema: Record<string, unknown>): boolean {
  const { format, contentEncoding } = schema;
  return contentEncoding === 'base64' || format === 'byte' || format === 'binary';
}
