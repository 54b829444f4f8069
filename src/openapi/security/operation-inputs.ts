import type { JsonSchema } from '../../domain/json-schema.ts';
import type { Operation, ParameterPlace } from '../../domain/operation.ts';
import { arrayOr, isObject, objectOr } from '../../lib/json/plain-object.ts';

/** A named input of an operation: a parameter, or a property of its body. */
export interface Input {
  readonly in: ParameterPlace;
  /** The name on the wire. */
  readonly key: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** All inputs that the model provides, one level deep. */
export function inputsOf(operation: Operation): Input[] {
  const inputs: Input[] = [];
  for (const parameter of operation.parameters) {
    if (parameter.fixed !== undefined || parameter.hidden) continue;
    const { in: place, schema, required } = parameter;
    if (place === 'body' && operation.body?.shape === 'whole') {
      inputs.push(...propertiesOf(schema, operation.defs ?? {}, required));
      continue;
    }
    const description = parameter.description ?? textOf(schema['description']);
    inputs.push({
      in: place,
      key: parameter.key ?? parameter.name,
      required,
      schema,
      ...(description !== undefined && { description }),
    });
  }
  return inputs;
}

type Defs = Readonly<Record<string, JsonSchema>>;

const refPrefix = '#/$defs/';
const sameValue = ['allOf', 'oneOf', 'anyOf'] as const;

function propertiesOf(schema: JsonSchema, defs: Defs, bodyRequired: boolean, depth = 4): Input[] {
  const inputs: Input[] = [];
  const required = arrayOr(schema['required']);
  for (const [key, value] of Object.entries(objectOr(schema['properties']))) {
    if (!isObject(value)) continue;
    const description = textOf(value['description']);
    inputs.push({
      in: 'body',
      key,
      required: bodyRequired && required.includes(key),
      schema: value,
      ...(description !== undefined && { description }),
    });
  }
  if (depth === 0) return inputs;
  const further = [opened(schema, defs), ...sameValue.flatMap((key) => arrayOr(schema[key]))];
  for (const part of further)
    if (isObject(part))
      for (const input of propertiesOf(part, defs, bodyRequired, depth - 1))
        if (!inputs.some(({ key }) => key === input.key)) inputs.push(input);
  return inputs;
}

function opened(schema: JsonSchema, defs: Defs): JsonSchema | undefined {
  const ref = schema['$ref'];
  if (typeof ref !== 'string' || !ref.startsWith(refPrefix)) return undefined;
  const name = ref.slice(refPrefix.length);
  return Object.hasOwn(defs, name) ? defs[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The operation without an input. A parameter can also stay in place but hidden from the model (`hide`). */
export function withoutInput(
  operation: Operation,
  isMeant: (input: Pick<Input, 'in' | 'key'>) => 'remove' | 'hide' | 'keep',
): Operation {
  let changed = false;
  let takesFromBody = false;
  const parameters = operation.parameters.flatMap((parameter) => {
    if (parameter.in === 'body' && operation.body?.shape === 'whole') {
      const schema = withoutProperties(
        parameter.schema,
        operation.defs ?? {},
        (key) => isMeant({ in: 'body', key }) !== 'keep',
      );
      if (schema === parameter.schema) return [parameter];
      changed = takesFromBody = true;
      return [{ ...parameter, schema }];
    }
    const verdict = isMeant({ in: parameter.in, key: parameter.key ?? parameter.name });
    if (verdict === 'keep' || parameter.fixed !== undefined) return [parameter];
    changed = true;
    if (parameter.in === 'body' && verdict === 'remove') takesFromBody = true;
    return verdict === 'hide' ? [{ ...parameter, required: false, hidden: true }] : [];
  });
  if (!changed) return operation;
  // Signing can only add to the body if there is one.
  const body = takesFromBody && operation.body ? { ...operation.body, required: true } : operation.body;
  return { ...operation, parameters, ...(body && { body }) };
}

/** A schema without some properties. A definition that has one of them is inlined. */
function withoutProperties(
  schema: JsonSchema,
  defs: Defs,
  isMeant: (key: string) => boolean,
  depth = 4,
): JsonSchema {
  const target = depth > 0 ? opened(schema, defs) : undefined;
  if (target) {
    const rest = withoutProperties(target, defs, isMeant, depth - 1);
    if (rest === target) return schema;
    const { $ref: _ref, ...siblings } = schema;
    return { ...rest, ...siblings };
  }
  const out: Record<string, unknown> = { ...schema };
  let changed = false;
  const properties = objectOr(schema['properties']);
  if (Object.keys(properties).some(isMeant)) {
    out['properties'] = Object.fromEntries(Object.entries(properties).filter(([key]) => !isMeant(key)));
    changed = true;
  }
  const required = arrayOr(schema['required']);
  const left = required.filter((key) => typeof key !== 'string' || !isMeant(key));
  if (left.length < required.length) {
    if (left.length > 0) out['required'] = left;
    else delete out['required'];
    changed = true;
  }
  for (const key of sameValue) {
    const parts = schema[key];
    if (!Array.isArray(parts) || depth === 0) continue;
    const rest = parts.map((part: unknown) =>
      isObject(part) ? withoutProperties(part, defs, isMeant, depth - 1) : part,
    );
    if (rest.some((part, i) => part !== parts[i])) {
      out[key] = rest;
      changed = true;
    }
  }
  return changed ? out : schema;
}
