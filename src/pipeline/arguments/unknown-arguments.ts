import type { Problem } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json-schema.ts';
import { pointerTo } from '../../lib/json/json-pointer.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import { eitherOf, isMisspelling, nearestNames } from '../../lib/text/nearest-names.ts';
import type { CompiledTool } from '../types.ts';

const mostProblems = 20;
const mostListed = 20;
// Whoever sends thousands of names of their own did not misspell ours.
const mostComparisons = 20_000;

/**
 * Looks at arguments that no parameter declares. A body whose document leaves it open takes them as fields, unless one is
 * plainly meant to be a declared one; all others are refused with the names that may have been meant: to drop one would
 * be to answer another question than was asked.
 */
export function takeUnknown(
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
    comparisons > mostComparisons
      ? undefined
      : shown.find((other) => {
          comparisons++;
          return !Object.hasOwn(given, other) && isMisspelling(name, other);
        });
  for (const [name, value] of Object.entries(given)) {
    const parameter = known.get(name);
    // Null says that there is none, of whatever it is.
    if (value === null || value === undefined) continue;
    if (parameter !== undefined && !parameter.hidden && parameter.fixed === undefined) continue;
    if (parameter?.fixed !== undefined && sameJson(parameter.fixed, value)) continue;
    const isFree = parameter === undefined && body?.open === true && !keys.has(name) && name !== '__proto__';
    const isHeld = isFree && tool.request.isHeldField(name);
    if (isFree && !isHeld) {
      if (meantBy(name) === undefined) {
        args[name] = value as JsonValue;
        continue;
      }
    }
    if (problems.length < mostProblems)
      problems.push({
        path: pointerTo('', name.slice(0, 100)),
        keyword: 'additionalProperties',
        message:
          parameter?.fixed === undefined && !isHeld
            ? refusal(name, shown)
            : 'is set by the operator of this gateway: leave it out',
      });
  }
  return problems;
}

function refusal(name: string, shown: readonly string[]): string {
  const near = nearestNames(name, shown);
  if (near.length > 0) return `is not an argument of this tool; did you mean ${eitherOf(near)}?`;
  if (shown.length === 0) return 'is not an argument of this tool, which takes none';
  const rest = shown.length - mostListed;
  const list = shown.slice(0, mostListed).join(', ');
  return `is not an argument of this tool, which takes ${list}${rest > 0 ? ` and ${rest} more` : ''}`;
}
