import { choice, flag, type Infer, integer, list, nullable, object, text } from '../lib/schema/schema.ts';
import { idText, timeMs } from './fields/row-fields.ts';

const words = text({ max: 10_000 });
const count = integer({ min: 0 });

/** An import that runs on its own: what is known of it besides its document, options and result. */
export const importJob = object({
  id: idText,
  revision: integer({ min: 1 }),
  /** What people recognize it by: a file's name, or the host of an address. */
  label: words,
  /** Whether its document is at an address, which can be watched for changes. */
  hasAddress: flag(),
  by: object({ id: words, label: words, address: nullable(words) }),
  startedAtMs: timeMs,
  updatedAtMs: timeMs,
  /** A running job has a plan or an import under way. */
  state: choice('running', 'planned', 'applied', 'failed'),
  /** Whether it only plans. */
  dryRun: flag(),
  stage: choice('fetching', 'reading', 'applying'),
  done: count,
  total: count,
  /** The process that runs it; null while none does. */
  runner: nullable(words),
  /** How often it was begun and not finished. */
  starts: count,
  /** Why it failed. */
  message: nullable(words),
  /** Slugs of the APIs that its document describes. */
  apis: list(words, { max: 10_000 }),
});

export type ImportJob = Infer<typeof importJob>;
