import { idText, timeMs } from '../../domain/fields/row-fields.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import {
  choice,
  flag,
  type Infer,
  integer,
  list,
  nullable,
  object,
  optional,
  text,
} from '../../lib/schema/schema.ts';

const words = text({ max: 100_000 });
const count = integer({ min: 0 });
const tokens = object({ input: count, output: count });
// Costs are stored as text, because our schemas have no fractions.
const cost = nullable(text({ max: 40, pattern: /^\d+(?:\.\d+)?(?:e-\d+)?$/ }));

const checkResult = object({
  checkId: idText,
  name: words,
  passed: flag(),
  /** The expectations that were not met, in sentences. */
  problems: list(words, { max: 1_000 }),
  reason: words,
  /** The model's final text; empty if contents are not stored. */
  answer: words,
  calls: list(object({ tool: words, arguments: nullable(words) }), { max: 10_000 }),
  tokens,
  cost,
  turns: count,
  durationMs: count,
  /** The record of the conversation. */
  runId: idText,
});

/** The result of one check. */
export type CheckResult = Infer<typeof checkResult>;

const variant = object({
  /** The published server, or a proposed draft of it. */
  of: choice('published', 'draft'),
  /** A short hash of what models see of the server. */
  version: words,
  passed: count,
  /** How many count: without those that were stopped, or whose model could not be asked. */
  total: count,
  /** Those; absent in a run of an earlier version. */
  notRun: optional(count),
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
  /** When it was last updated, or ended. */
  updatedAtMs: timeMs,
  variants: list(variant, { max: 2 }),
});

/** One run of a server's checks: on the published server only, or on a draft as well. */
export type CheckRun = Infer<typeof checkRun>;

/** Parses a stored run; null if it can't be read, such as one of a newer version. */
export function readCheckRun(stored: string): CheckRun | null {
  return readJson(checkRun, stored);
}
