import { pipelineErrors } from '../../domain/error-messages/pipeline.ts';
import { jsonText } from '../../lib/json/numbers/exact-numbers.ts';
import { largestPiiLimits, piiIn } from '../../lib/secrets/mask-pii.ts';
import { OverBudget, WorkBudget } from '../../lib/work-budget.ts';
import type { CompiledTool } from '../compiled-tool.ts';
import type { PiiLog } from '../pii-log.ts';
import type { Arguments } from './checked-arguments.ts';

/**
 * Rejects a call if a rule refuses what one of its arguments contains: in texts, numbers and names, at any depth. Files
 * that an argument refers to are not read.
 */
export function refusePii({ tool }: CompiledTool, args: Arguments, pii: PiiLog): void {
  const patterns = pii.patterns('refuse-arguments');
  if (patterns.length === 0) return;
  const fixed = new Set(
    tool.operation.parameters.filter((one) => one.fixed !== undefined).map((one) => one.name),
  );
  const budget = new WorkBudget(largestPiiLimits);
  const found = new Map<string, number>();
  let refused: string | null = null;
  for (const [name, value] of Object.entries(args)) {
    if (fixed.has(name)) continue;
    const text = typeof value === 'string' ? value : jsonText({ value });
    for (const match of matchesIn(name, text, patterns, budget)) {
      refused ??= name;
      found.set(match.name, (found.get(match.name) ?? 0) + 1);
    }
  }
  if (refused === null) return;
  pii.add('refuse-arguments', found);
  throw pipelineErrors.piiInArgument(
    { argument: refused, rules: [...found.keys()].map((rule) => `"${rule}"`).join(', ') },
    { problems: [{ path: `/${refused}`, message: 'contains personal data' }], notSent: true },
  );
}

function matchesIn(
  argument: string,
  text: string,
  patterns: Parameters<typeof piiIn>[1],
  budget: WorkBudget,
): ReturnType<typeof piiIn> {
  try {
    return piiIn(text, patterns, budget);
  } catch (error) {
    if (error instanceof OverBudget)
      throw pipelineErrors.argumentTooLongForPii({ argument }, { notSent: true });
    throw error;
  }
}
