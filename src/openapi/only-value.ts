import { asJson } from '../domain/json-schema.ts';
import type { Parameter } from '../domain/operation.ts';

/** A parameter that must be sent and has one possible value is sent without asking anybody. */
export function withOnlyValue(parameter: Parameter): Parameter {
  if (!parameter.required) return parameter;
  const { const: only, enum: values } = parameter.schema;
  const value = only ?? (Array.isArray(values) && values.length === 1 ? (values[0] as unknown) : undefined);
  return value === undefined || value === null ? parameter : { ...parameter, fixed: asJson(value) };
}
