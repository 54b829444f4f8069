import { HandrailError, type Problem } from '../../domain/errors.ts';
import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import { asJson, type JsonValue } from '../../domain/json-schema.ts';
import { carryWritten, hasLongNumbers } from '../../lib/json/numbers/exact-numbers.ts';
import { moreKeyword, readablePath } from '../../lib/json/describe-errors.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { type Arguments, asArguments } from './checked-arguments.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import { healArguments } from './heal-arguments.ts';
import { acceptUnknownArguments } from './unknown-arguments.ts';

/**
 * Checks a caller's input against the tool and fills in defaults and fixed values. Undeclared arguments are rejected, or
 * passed on if the document leaves the body open.
 */
export function validate(tool: CompiledTool, input: unknown): Arguments {
  const given = asObject(input);
  const args: Record<string, JsonValue> = {};
  let taken = 0;
  for (const { name, fixed, hidden, default: preset } of tool.tool.operation.parameters) {
    if (fixed !== undefined) {
      args[name] = fixed;
      continue;
    }
    const value = hidden || !Object.hasOwn(given, name) ? undefined : given[name];
    if (value !== undefined) {
      args[name] = asJson(value);
      taken++;
    } else if (preset !== undefined) args[name] = preset;
  }
  const unknown = taken === countOf(given) ? none : acceptUnknownArguments(tool, given, args);
  if (hasLongNumbers(given)) carryWritten(given, args);
  let problems = tool.check(visibleOnly(args, tool));
  if (problems.length > 0 && healArguments(tool, args)) problems = tool.check(visibleOnly(args, tool));
  if (problems.length > 0 || unknown.length > 0) {
    const all = [...problems, ...unknown];
    throw new HandrailError('invalid_arguments', sentence(all), { problems: all });
  }
  return asArguments(args);
}

const none: readonly Problem[] = [];

function asObject(input: unknown): Readonly<Record<string, unknown>> {
  if (input === undefined || input === null) return {};
  if (isObject(input)) return input;
  throw pipelineErrors.argumentsNotObject({
    problems: [{ path: '', message: 'must be an object', keyword: 'type' }],
  });
}

function countOf(given: Readonly<Record<string, unknown>>): number {
  let count = 0;
  for (const _name in given) count++;
  return count;
}

// Hidden and fixed values belong to the operator and are not in the schema the model sees.
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

/** One line a model can act on, such as `location is required; limit must be a number`. */
function sentence(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message, keyword }) =>
      keyword === moreKeyword ? message : `${path === '' ? 'arguments' : readablePath(path)} ${message}`,
    )
    .join('; ');
}
