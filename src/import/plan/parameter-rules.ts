import type { ParameterRules } from '../../domain/api.ts';
import type { ApiDescription, DescribedOperation, ImportNote } from '../../domain/description.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import type { Parameter } from '../../domain/operation.ts';

/** Rules given to an import; a fixed value of null removes a stored one. */
export type GivenRules = Omit<ParameterRules, 'fix'> & {
  readonly fix?: Readonly<Record<string, string | null>>;
};

/** Merges an API's rules with those given to an import; unmentioned rules stay. */
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

/** Applies the rules to every operation. Adds a note for a required parameter that is hidden without a value. */
export function applyParameterRules(description: ApiDescription, rules: ParameterRules): ApiDescription {
  const fixed = new Map(Object.entries(rules.fix ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const hidden = new Set<string>();
  const operations = description.operations.map((operation) =>
    applyToOperation(operation, rules, fixed, hidden),
  );
  const note: ImportNote = {
    code: 'technical_parameters_hidden',
    message: `Hidden from models, because they are about format, debugging or transport: ${[...hidden].join(', ')}. Show them with --technical-params expose.`,
  };
  return { ...description, operations, notes: [...description.notes, ...(hidden.size > 0 ? [note] : [])] };
}

// By place: what clients send for themselves, and how a reply is written rather than what is in it.
const technicalNames: Readonly<Record<string, ReadonlySet<string>>> = {
  query: new Set([
    'alt',
    'prettyprint',
    'pretty_print',
    'pretty',
    'opt_pretty',
    'opt_jsonp',
    '$.xgafv',
    'quotauser',
    'userip',
    'error_trace',
  ]),
  header: new Set(['user-agent', 'cache-control', 'pragma', 'accept-encoding', 'accept-charset', 'dnt']),
};

function isTechnical({ in: place, required }: Parameter, key: string): boolean {
  return !required && technicalNames[place]?.has(key.toLowerCase()) === true;
}

// Only in a body do numbers differ from their text.
function typedValue(value: string, { in: place, schema }: Parameter): JsonValue {
  if (place !== 'body' || value.trim() === '') return value;
  const types = [schema['type']].flat();
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  const isNumber = types.includes('number') || types.includes('integer');
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** Whether an argument may span several path segments: `{+name}`, `{path*}`, `allowReserved`. */
export function isPathOfSegments({ in: place, key = '', allowReserved }: Parameter): boolean {
  return place === 'path' && (allowReserved === true || /^\+|[+*]$|=\*\*$/.test(key));
}

function applyToOperation(
  operation: DescribedOperation,
  rules: ParameterRules,
  fixed: ReadonlyMap<string, string>,
  technical: Set<string>,
): DescribedOperation {
  if (!operation.content) return operation;
  const notes: ImportNote[] = [];
  const parameters = operation.content.operation.parameters.map((parameter): Parameter => {
    const key = parameter.key ?? parameter.name;
    const value = fixed.get(key.toLowerCase());
    if (value !== undefined) return { ...parameter, fixed: typedValue(value, parameter) };
    if (rules.slashes === true && isPathOfSegments(parameter)) return { ...parameter, keepSlashes: true };
    if (rules.technical !== 'expose' && isTechnical(parameter, key)) {
      technical.add(key);
      return { ...parameter, hidden: true };
    }
    if (parameter.in !== 'header' && parameter.in !== 'cookie') return parameter;
    if ((parameter.in === 'header' ? rules.headers : rules.cookies) !== 'hide') return parameter;
    if (parameter.required) {
      notes.push({
        code: 'parameter_hidden',
        message: `The required ${parameter.in} "${key}" is hidden and has no value: fix one, or the API may reject the call.`,
        at: operation.at,
      });
    }
    return { ...parameter, hidden: true };
  });
  const content = { ...operation.content, operation: { ...operation.content.operation, parameters } };
  return { ...operation, content, notes: [...operation.notes, ...notes] };
}
