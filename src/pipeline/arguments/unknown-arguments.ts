import type { Problem } from '../../domain/errors.ts';
import { asJson, type JsonValue } from '../../domain/json-schema.ts';
import { pointerTo } from '../../lib/json/json-pointer.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import { eitherOf, isMisspelling, nearestNames } from '../../lib/text/nearest-names.ts';
import type { CompiledTool } from '../compiled-tool.ts';

const maxProblems = 20;
const maxListed = 20;
// A caller that sends thousands of unknown names did not misspell ours.
const maxComparisons = 20_000;

/**
 * Handles arguments that no parameter declares. An open body accepts them as fields, unless one is clearly a misspelled
 * parameter. All others are rejected, with suggestions: silently dropping one would answer a different question than the
 * one asked.
 */
export function acceptUnknownArguments(
  tool: CompiledTool,
  given: Readonly<Record<string, unknown>>,
  args: Record<string, JsonValue>,
): readonly Problem[] {
  const { parameters, body } = tool.tool.operation;
  const shown = parameters
    .filter(({ hidden, fixed }) => !hidden && fixed === undefined)
    .map(({ name }) => name);
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const keys = new Set(
    parameters.flatMap(({ in: place, key }) => (place === 'body' && key !== undefined ? [key] : [])),
  );
  const problems: Problem[] = [];
  let comparisons = 0;
  const meantBy = (name: string): string | undefined =>
    comparisons > maxComparisons
      ? undefined
      : shown.find((other) => {
          comparisons++;
          return !Object.hasOwn(given, other) && isMisspelling(name, other);
        });
  for (const [name, value] of Object.entries(given)) {
    const parameter = known.get(name);
    // Null means "not given", whatever the name.
    if (value === null || value === undefined) continue;
    if (parameter !== undefined && !parameter.hidden && parameter.fixed === undefined) continue;
    if (parameter?.fixed !== undefined && sameJson(parameter.fixed, value)) continue;
    const field = openFieldName(name, (other) => (known.get(other)?.in ?? 'body') !== 'body');
    const isFree =
      parameter === undefined && body?.open === true && !keys.has(field) && field !== '__proto__';
    const isHeld = isFree && tool.request.isHeldField(field);
    if (isFree && !isHeld) {
      if (field !== name || meantBy(name) === undefined) {
        args[name] = asJson(value);
        continue;
      }
    }
    if (problems.length < maxProblems)
      problems.push({
        path: pointerTo('', name.slice(0, 100)),
        keyword: 'additionalProperties',
        message:
          parameter?.fixed === undefined && !isHeld
            ? unknownMessage(name, shown)
            : 'is set by the operator of this gateway: leave it out',
      });
  }
  return problems;
}

const bodyPrefix = 'body_';

/**
 * The field of an open body that an undeclared argument becomes. If a parameter outside the body has the same name, the
 * argument is `body_NAME`, like declared fields.
 */
export function openFieldName(argument: string, isElsewhere: (name: string) => boolean): string {
  const rest = argument.startsWith(bodyPrefix) ? argument.slice(bodyPrefix.length) : '';
  return rest !== '' && isElsewhere(rest) ? rest : argument;
}

function unknownMessage(name: string, shown: readonly string[]): string {
  const near = nearestNames(name, shown);
  if (near.length > 0) return `is not an argument of this tool; did you mean ${eitherOf(near)}?`;
  if (shown.length === 0) return 'is not an argument of this tool, which takes none';
  const rest = shown.length - maxListed;
  const list = shown.slice(0, maxListed).join(', ');
  return `is not an argument of this tool, which takes ${list}${rest > 0 ? ` and ${rest} more` : ''}`;
}
