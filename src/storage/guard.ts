import { storageErrors } from '../domain/error-messages/storage.ts';
import { HandrailError } from '../domain/errors.ts';
import type { StoreState } from './ports.ts';

/** Turns what a database driver threw into a HandrailError without SQL, path or password; what it does not know stays as it is. */
export type Translate = (thrown: unknown) => unknown;

/** A part of a store that asks its database: every method takes its time. */
type AskingPart<T> = { readonly [K in keyof T]: (...parameters: never[]) => Promise<unknown> };

/** Wraps the parts of one store. */
export interface Guard {
  /** Wraps each method of a part, so that no driver error passes its border. */
  guarded<T extends AskingPart<T>>(part: T): T;
  /** Runs a write, and notes whether writes get through. */
  writing<T>(write: () => Promise<T>): Promise<T>;
  /** Whether the store can be used, how often it could not be, and for how long writes have been waiting or failing. */
  readonly counts: Pick<StoreState, 'isUp' | 'failures' | 'stalledMs'>;
  /** Writes something without effect when the last write failed and no other is under way: it may work again. */
  probe(): Promise<void>;
}

const failureCodes = new Set(['unavailable', 'store_unreadable']);

// Another process may hold the lock for some seconds without anything being wrong.
const stalledAfterMs = 10_000;

/** Makes the guard of one store. `ping` writes something without effect. */
export function createGuard(
  translate: Translate,
  ping: () => Promise<unknown>,
  now: () => number = () => performance.now(),
): Guard {
  let isUp = true;
  let writes = 0;
  /** When a write last got through, or the first of those that wait or failed was asked for. */
  let stalledSince: number | null = null;
  let failures = 0;
  const failed = (error: unknown): unknown => {
    // Any other refusal is an answer.
    if (error instanceof HandrailError && !failureCodes.has(error.code)) return error;
    isUp = false;
    failures++;
    return error;
  };
  const isFailure = (error: unknown) => error instanceof HandrailError && failureCodes.has(error.code);
  async function writing<T>(write: () => Promise<T>): Promise<T> {
    writes++;
    stalledSince ??= now();
    let isThrough = true;
    try {
      return await write();
    } catch (thrown) {
      isThrough = !isFailure(translate(thrown));
      throw thrown;
    } finally {
      writes--;
      if (isThrough) stalledSince = writes > 0 ? now() : null;
    }
  }
  return {
    guarded<T extends AskingPart<T>>(part: T): T {
      const wrapped: Record<string, unknown> = {};
      for (const [name, method] of Object.entries(part)) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each is called with what it was given
        const ask = method as (...parameters: unknown[]) => Promise<unknown>;
        wrapped[name] = async (...parameters: unknown[]) => {
          try {
            const answer = await ask(...parameters);
            isUp = true;
            return answer;
          } catch (thrown) {
            throw failed(translate(thrown));
          }
        };
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the methods of `part`, each wrapped
      return wrapped as T;
    },
    writing,
    get counts() {
      const stalledMs = stalledSince === null ? 0 : now() - stalledSince;
      return { isUp: isUp && stalledMs < stalledAfterMs, failures, stalledMs };
    },
    async probe() {
      if (stalledSince !== null && writes === 0) await writing(ping).catch(() => {});
    },
  };
}

/** The conflict that a violated unique constraint of a table means. */
export function uniqueConflict(table: string | undefined, cause: unknown): HandrailError {
  return storageErrors.nameTaken({ table }, {}, { cause });
}

/** The conflict that a violated foreign key means; only tools and credentials have one. */
export function referenceConflict(cause: unknown): HandrailError {
  return storageErrors.apiMissing({}, { cause });
}
