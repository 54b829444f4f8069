import { HandrailError, type Problem } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import type { Parameter } from '../../domain/operation.ts';
import { allowedTypes } from '../../lib/json/schema-branches.ts';
import type { Arguments, CompiledTool } from '../types.ts';

/** Checks a caller's input against the tool and completes it: defaults and fixed values in, undeclared values out. */
export function validate(tool: CompiledTool, input: unknown): Arguments {
  const given = asObject(input);
  const args: Record<string, JsonValue> = {};
  for (const parameter of tool.tool.operation.parameters) {
    const value = parameter.fixed ?? (parameter.hidden ? undefined : given[parameter.name]);
    if (value !== undefined) args[parameter.name] = heal(value as JsonValue, parameter, tool);
    else if (parameter.default !== undefined) args[parameter.name] = parameter.default;
  }
  const problems = tool.check(visibleOnly(args, tool));
  if (problems.length > 0) throw new HandrailError('invalid_arguments', sentence(problems), { problems });
  return args as Arguments;
}

function asObject(input: unknown): Readonly<Record<string, unknown>> {
  if (input === undefined || input === null) return {};
  if (typeof input !== 'object' || Array.isArray(input)) {
    throw new HandrailError('invalid_arguments', 'arguments must be an object', {
      problems: [{ path: '', message: 'must be an object', keyword: 'type' }],
    });
  }
  return input as Record<string, unknown>;
}

// Hidden and fixed values are the operator's: the schema the model sees says nothing about them.
function visibleOnly(args: Record<string, JsonValue>, tool: CompiledTool): Record<string, JsonValue> {
  const { parameters } = tool.tool.operation;
  if (!parameters.some((parameter) => parameter.hidden || parameter.fixed !== undefined)) return args;
  const visible: Record<string, JsonValue> = {};
  for (const parameter of parameters) {
    const value = args[parameter.name];
    if (value !== undefined && !parameter.hidden && parameter.fixed === undefined)
      visible[parameter.name] = value;
  }
  return visible;
}

/**
 * Models sometimes send an array or object as its JSON text. It is read as what it means when the schema leaves no
 * other reading: text is not allowed there, and the parsed value has a type that is.
 */
function heal(value: JsonValue, parameter: Parameter, tool: CompiledTool): JsonValue {
  if (typeof value !== 'string') return value;
  const first = value.trimStart()[0];
  if (first !== '[' && first !== '{') return value;
  const allowed = allowedTypes(parameter.schema, tool.tool.operation.defs);
  if (allowed === null || allowed.has('string') || !allowed.has(first === '[' ? 'array' : 'object'))
    return value;
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    return value;
  }
}

/** `location is required; limit must be a number` – one line a model can act on. */
function sentence(problems: readonly Problem[]): string {
  return problems.map((problem) => `${readablePath(problem.path)} ${problem.message}`).join('; ');
}

function readablePath(pointer: string): string {
  if (pointer === '') return 'arguments';
  const tokens = pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return tokens.reduce(
    (path, token) => (/^\d+$/.test(token) ? `${path}[${token}]` : path === '' ? token : `${path}.${token}`),
    '',
  );
}
