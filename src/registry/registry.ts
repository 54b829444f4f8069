import { setTimeout as delay } from 'node:timers/promises';
import { type Actor, handrailItself } from '../domain/audit.ts';
import { registryErrors } from '../domain/error-messages/registry.ts';
import type { RegistryChange, RegistryStore } from '../storage/ports.ts';
import { auditEntriesOf } from './audit-entries.ts';
import { applyChanges, buildSnapshot } from './build-snapshot.ts';
import { checkForms, checkTogether } from './check-changes.ts';
import { planNames } from './give-names.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Called with every new snapshot, what changed and who did it; a change of another process counts as Handrail's
 * own.
 */
export type SnapshotListener = (
  after: Snapshot,
  before: Snapshot,
  changes: readonly RegistryChange[],
  actor: Actor,
) => void;

/** The result of a rule: changes to commit, and a value to return. */
export interface Decision<T> {
  readonly changes: readonly RegistryChange[];
  readonly result: T;
  /**
   * Whether the APIs and tools among the changes are one action of a person, logged as one audit entry: an
   * import.
   */
  readonly isImport?: boolean;
}

// Of the processes that compete one succeeds each time, so a change gets through within a fraction of this.
const maxContendedMs = 60_000;
const maxPauseMs = 20;

/** The registry in memory, in sync with the store and with every other process that uses it. */
export class Registry {
  readonly #store: RegistryStore;
  readonly #onTrouble: (error: unknown) => void;
  readonly #listeners = new Set<SnapshotListener>();
  #snapshot: Snapshot;
  /** Commits and syncs run one after another, so that each starts from the newest snapshot. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(store: RegistryStore, snapshot: Snapshot, onTrouble: (error: unknown) => void) {
    this.#store = store;
    this.#onTrouble = onTrouble;
    this.#snapshot = snapshot;
  }

  /**
   * `onTrouble` receives the errors of failing listeners: the commit stands, and the other listeners are still
   * called.
   */
  static async load(store: RegistryStore, onTrouble: (error: unknown) => void = rethrow): Promise<Registry> {
    return new Registry(store, buildSnapshot(await store.load()), onTrouble);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /**
   * Commits the changes that `decide` returns. It sees the newest snapshot and runs again if another process
   * committed first, so it must be pure. It may take its time: other changes wait, calls don't. When the
   * promise resolves, the change is durable, `snapshot` shows it, and the audit log says who made it.
   */
  commit<T>(actor: Actor, decide: (snapshot: Snapshot) => Decision<T> | Promise<Decision<T>>): Promise<T> {
    return this.#enqueue(async () => {
      const startedAt = performance.now();
      for (let attempts = 1; ; attempts++) {
        const before = this.#snapshot;
        const { changes, result, isImport = false } = await decide(before);
        if (changes.length === 0) return result;
        const draft = await this.#check(before, changes);
        await letOthersRun(changes);
        const names = planNames(before, draft, changes);
        const all = names.length === 0 ? changes : [...changes, ...names];
        await letOthersRun(changes);
        const audit = auditEntriesOf(before, changes, actor, Date.now(), isImport);
        await letOthersRun(changes);
        const seq = await this.#store.commit(before.seq, all, audit);
        await letOthersRun(changes);
        if (seq !== null) {
          const isDrafted = names.length === 0 && seq === draft.seq;
          this.#advance(all, isDrafted ? draft : applyChanges(before, all, seq), actor);
          return result;
        }
        if (performance.now() - startedAt > maxContendedMs) throw registryErrors.keepsChanging();
        // Processes that keep meeting each other get out of step.
        if (attempts > 1) await delay(Math.random() * Math.min(attempts, maxPauseMs));
        await this.#catchUp();
      }
    });
  }

  /** Returns what a commit would return, and rejects what it would reject, without writing anything. */
  async rehearse<T>(decide: (snapshot: Snapshot) => Decision<T> | Promise<Decision<T>>): Promise<T> {
    const before = this.#snapshot;
    const { changes, result } = await decide(before);
    await this.#check(before, changes);
    return result;
  }

  /** Applies what other processes have committed. */
  sync(): Promise<void> {
    return this.#enqueue(() => this.#catchUp());
  }

  /** Calls `listener` after each change, whether ours or another process's; returns a function that stops it. */
  onChange(listener: SnapshotListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rejects what must not be stored, regardless of who proposes it; returns the snapshot that would result. */
  async #check(before: Snapshot, changes: readonly RegistryChange[]): Promise<Snapshot> {
    await letOthersRun(changes);
    await checkForms(changes);
    const draft = applyChanges(before, changes, before.seq + 1);
    await letOthersRun(changes);
    await checkTogether(before, draft, changes);
    return draft;
  }

  async #catchUp(): Promise<void> {
    const delta = await this.#store.changesSince(this.#snapshot.seq);
    if (delta === null) {
      const before = this.#snapshot;
      this.#snapshot = buildSnapshot(await this.#store.load());
      this.#tell(before, [], handrailItself);
    } else if (delta.seq > this.#snapshot.seq) {
      const after = applyChanges(this.#snapshot, delta.changes, delta.seq, delta.setAside);
      this.#advance(delta.changes, after, handrailItself);
    }
  }

  #advance(changes: readonly RegistryChange[], after: Snapshot, actor: Actor): void {
    const before = this.#snapshot;
    this.#snapshot = after;
    this.#tell(before, changes, actor);
  }

  #tell(before: Snapshot, changes: readonly RegistryChange[], actor: Actor): void {
    for (const listener of this.#listeners) {
      try {
        listener(this.#snapshot, before, changes, actor);
      } catch (error) {
        this.#onTrouble(error);
      }
    }
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(work);
    this.#queue = next.catch(() => undefined);
    return next;
  }
}

function rethrow(error: unknown): never {
  throw error;
}

const manyChanges = 50;

/** Between the steps of a large change, such as an import, calls are served. The queue keeps other changes out. */
async function letOthersRun(changes: readonly RegistryChange[]): Promise<void> {
  if (changes.length > manyChanges) await new Promise((resolve) => setImmediate(resolve));
}
