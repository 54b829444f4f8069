import type { ParameterRules } from '../../domain/api.ts';
import type { ApiDescription, DescribedOperation, ImportNote } from '../../domain/description.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import type { Parameter } from '../../domain/operation.ts';

/** Rules as an import gives them: of fixed values, null takes one away that was kept. */
export type GivenRules = Omit<ParameterRules, 'fix'> & {
  readonly fix?: Readonly<Record<string, string | null>>;
};

/** The rules of an API with those that an import gives: what it does not speak of stays. */
export function mergeRules(kept: ParameterRules = {}, given: GivenRules = {}): ParameterRules {
  const { fix = {}, ...others } = given;
  const named = new Set(Object.keys(fix).map((name) => name.toLowerCase()));
  const values = [
    ...Object.entries(kept.fix ?? {}).filter(([name]) => !named.has(name.toLowerCase())),
    ...Object.entries(fix).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  ];
  const { fix: _before, ...keptOthers } = kept;
  return { ...keptOthers, ...others, ...(values.length > 0 && { fix: Object.fromEntries(values) }) };
}

/** Applies the rules to every operation. A required parameter that is hidden without a value gets a note. */
export function applyParameterRules(description: ApiDescription, rules: ParameterRules): ApiDescription {
  const fixed = new Map(Object.entries(rules.fix ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  if (fixed.size === 0 && rules.headers !== 'hide' && rules.cookies !== 'hide' && rules.slashes !== true)
    return description;
  return {
    ...description,
    operations: description.operations.map((operation) => applyToOperation(operation, rules, fixed)),
  };
}

// Only a body tells numbers from their text.
function typedValue(value: string, { in: place, schema }: Parameter): JsonValue {
  if (place !== 'body' || value.trim() === '') return value;
  const types = [schema['type']].flat();
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  const isNumber = types.includes('number') || types.includes('integer');
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** Whether the document lets an argument fill several segments of the path: `{+name}`, `{path*}`, `allowReserved`. */
export function isPathOfSegments({ in: place, key = '', allowReserved }: Parameter): boolean {
  return place === 'path' && (allowReserved === true || /^\+|[+*]$|=\*\*$/.test(key));
}

function applyToOperation(
  operation: DescribedOperation,
  rules: ParameterRules,
  fixed: ReadonlyMap<string, string>,
): DescribedOperation {
  if (!operation.content) return operation;
  const notes: ImportNote[] = [];
  const parameters = operation.content.operation.parameters.map((parameter): Parameter => {
    const key = parameter.key ?? parameter.name;
    const value = fixed.get(key.toLowerCase());
    if (value !== undefined) return { ...parameter, fixed: typedValue(value, parameter) };
    if (rules.slashes === true && isPathOfSegments(parameter)) return { ...parameter, keepSlashes: true };
    if (parameter.in !== 'header' && parameter.in !== 'cookie') return parameter;
    if ((parameter.in === 'header' ? rules.headers : rules.cookies) !== 'hide') return parameter;
    if (parameter.required) {
      notes.push({
        code: 'parameter_hidden',
        message: `The required ${parameter.in} "${key}" is hidden and has no value: fix one, or the API may refuse the call.`,
        at: operation.at,
      });
    }
    return { ...parameter, hidden: true };
  });
  const content = { ...operation.content, operation: { ...operation.content.operation, parameters } };
  return { ...operation, content, notes: [...operation.notes, ...notes] };
}
