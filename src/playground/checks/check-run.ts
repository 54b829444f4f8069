import { HandrailError } from '../../domain/errors.ts';
import { idText, timeMs } from '../../domain/fields/row-fields.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import { choice, flag, type Infer, integer, list, nullable, object, text } from '../../lib/schema/schema.ts';

const words = text({ max: 100_000 });
const count = integer({ min: 0 });
const tokens = object({ input: count, output: count });
// Costs are fractions, which the forms of stored values do not have.
const cost = nullable(text({ max: 40, pattern: /^\d+(?:\.\d+)?(?:e-\d+)?$/ }));

const checkResult = object({
  checkId: idText,
  name: words,
  passed: flag(),
  /** What did not happen as it must, in sentences. */
  problems: list(words, { max: 1_000 }),
  reason: words,
  /** The last words of the model; empty where contents are not kept. */
  answer: words,
  calls: list(object({ tool: words, arguments: nullable(words) }), { max: 10_000 }),
  tokens,
  cost,
  turns: count,
  durationMs: count,
  /** The record of the conversation. */
  runId: idText,
});

/** What became of one check. */
export type CheckResult = Infer<typeof checkResult>;

const variant = object({
  /** The server as it is published, or as somebody proposes it. */
  of: choice('published', 'draft'),
  /** What the server told models, in a few characters. */
  version: words,
  passed: count,
  total: count,
  tokens,
  cost,
  results: list(checkResult, { max: 100_000 }),
});

export type CheckVariant = Infer<typeof variant>;

const checkRun = object({
  id: idText,
  serverId: idText,
  server: words,
  modelId: idText,
  model: words,
  by: words,
  state: choice('running', 'ended', 'stopped'),
  startedAtMs: timeMs,
  /** When it was last written, or ended. */
  updatedAtMs: timeMs,
  variants: list(variant, { max: 2 }),
});

/** The checks of a server, run once: as it is, or as it is and as somebody proposes it. */
export type CheckRun = Infer<typeof checkRun>;

/** Reads a run as it is stored. */
export function readCheckRun(stored: string): CheckRun {
  const run = readJson(checkRun, stored);
  if (run !== null) return run;
  throw new HandrailError('internal', 'A stored run of checks cannot be read.');
}
