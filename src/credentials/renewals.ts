import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { credentialErrors } from '../domain/error-messages/credentials.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { LeaseStore } from '../storage/ports.ts';
import type { SecretFields } from './seal.ts';
import type { Token } from './token-keeper.ts';

/** What a renewal reads and does; evaluated again whenever something may have changed. */
export interface RenewalTask {
  readonly credentialId: string;
  /** A token in the newest fields that is good enough; null if there is none. */
  kept(): Token | null;
  /** Asks the authorization server. `fields` are all fields of the credential; null if unchanged. */
  renew(): Promise<{ readonly token: Token; readonly fields: SecretFields | null }>;
}

/**
 * Renews tokens in exactly one process: many authorization servers replace the refresh token with every use, and revoke
 * the whole connection if an old one is used again (docs/adr/0026-oauth-connections-and-token-renewal.md).
 */
export interface Renewals {
  obtain(task: RenewalTask): Promise<Token>;
  /** Fields of this revision that an authorization server returned and that are not stored yet. */
  unsaved(credentialId: string, revision: number): SecretFields | undefined;
  readonly counts: RenewalCounts;
}

/** Renewals by result, for metrics. */
interface RenewalCounts {
  /** Renewed by this process. */
  readonly renewed: number;
  /** The authorization server rejected it, or did not answer. */
  readonly failed: number;
  /** Given up because another process might have been renewing it. */
  readonly givenUp: number;
  /** Renewed but not stored yet. */
  readonly unsaved: number;
}

export interface RenewalOptions {
  readonly leases: LeaseStore;
  /** Reads what other processes stored of a credential. */
  readonly sync: (credentialId: string) => Promise<void>;
  /** How long the store has answered without a failure. */
  readonly steadyMs: () => number;
  /** The revision in the registry; undefined if the credential is gone. */
  readonly revisionOf: (credentialId: string) => number | undefined;
  /** Stores fields unless the credential's revision has changed. */
  readonly saveFields: (credentialId: string, fields: SecretFields, revision: number) => Promise<void>;
  readonly log: Pick<Logger, 'error' | 'info'>;
  readonly now: () => number;
  readonly onClose: OnClose;
}

const leaseMs = 60_000;
/** After an outage of the store, a lease may have expired: its owner gets this long to store what it has. */
const steadyEnoughMs = 5_000;
const pollMs = 150;
const maxWaitMs = 60_000;
const maxPauseMs = 1_000;
const maxStates = 5_000;

interface RenewalState {
  /** The last renewal of this credential; the next one waits for it. */
  lastRenewal: Promise<unknown>;
  /** How many renewals are running or waiting. */
  waiting: number;
  /** Whether a request to the authorization server is running: no one else may ask it until it answers. */
  isRenewing: boolean;
  unsaved: { readonly fields: SecretFields; readonly revision: number } | null;
  /** The revision that our last save replaced, and the one that it created. */
  saved: { readonly from: number; readonly to: number } | null;
  isSaving: boolean;
  /** The most recent save. */
  saving: Promise<void>;
}

export function createRenewals(options: RenewalOptions): Renewals {
  const { leases, sync, now, log } = options;
  const owner = randomUUID();
  const states = new Map<string, RenewalState>();
  let isClosing = false;
  const counts = { renewed: 0, failed: 0, givenUp: 0 };

  const leaseOf = (id: string) => `renew:${id}`;

  function stateOf(id: string): RenewalState {
    let state = states.get(id);
    if (state === undefined && states.size >= maxStates) forgetIdle();
    if (state === undefined)
      states.set(
        id,
        (state = {
          lastRenewal: Promise.resolve(),
          waiting: 0,
          isRenewing: false,
          unsaved: null,
          saved: null,
          isSaving: false,
          saving: Promise.resolve(),
        }),
      );
    return state;
  }

  /** There can be an account for each person, most of which are idle. */
  function forgetIdle(): void {
    for (const [id, { isRenewing, isSaving, unsaved, waiting }] of states)
      if (!isRenewing && !isSaving && unsaved === null && waiting === 0) states.delete(id);
  }

  /** Whether this process may ask the authorization server: it has the lease, and has read what others stored. */
  async function mayRenew(id: string): Promise<boolean> {
    try {
      // Our unsaved fields are newer than anything another process could have.
      if (stateOf(id).unsaved !== null) return true;
      if (options.steadyMs() < steadyEnoughMs) return false;
      if (!(await leases.claim(leaseOf(id), owner, leaseMs))) return false;
      await sync(id);
      return true;
    } catch {
      return false;
    }
  }

  async function attempt(task: RenewalTask): Promise<Token> {
    const { credentialId: id } = task;
    const giveUpAtMs = now() + maxWaitMs;
    for (;;) {
      const kept = task.kept();
      if (kept !== null) return kept;
      // Set before checking the lease: a save that ends in the meantime must not release it.
      const state = stateOf(id);
      state.isRenewing = true;
      const isOurs = await mayRenew(id);
      try {
        if (isOurs) return task.kept() ?? (await renew(task));
      } finally {
        state.isRenewing = false;
        if (isOurs && state.unsaved === null) await release(id);
      }
      if (isClosing || now() >= giveUpAtMs) {
        counts.givenUp++;
        throw credentialErrors.renewalNotExclusive();
      }
      await delay(pollMs);
      // An unavailable store is asked again in the next round.
      await sync(id).catch(() => {});
    }
  }

  async function renew(task: RenewalTask): Promise<Token> {
    const id = task.credentialId;
    const state = stateOf(id);
    const before = options.revisionOf(id);
    const { token, fields } = await task.renew().catch((error: unknown) => {
      counts.failed++;
      throw error;
    });
    counts.renewed++;
    // If our own earlier renewal was saved in the meantime, that is not someone else's change.
    const revision = state.saved !== null && state.saved.from === before ? state.saved.to : before;
    if (fields !== null && revision !== undefined) {
      state.unsaved = { fields, revision };
      if (!state.isSaving) {
        state.isSaving = true;
        state.saving = saveUntilSaved(id, state);
      }
    }
    return token;
  }

  /** No call waits for this; until it is done, the lease keeps other processes from using the old fields. */
  async function saveUntilSaved(id: string, state: RenewalState): Promise<void> {
    for (let failures = 0; state.unsaved !== null;) {
      const { unsaved } = state;
      // Someone entered another secret, or removed it.
      if (options.revisionOf(id) !== unsaved.revision) {
        state.unsaved = null;
        break;
      }
      try {
        await options.saveFields(id, unsaved.fields, unsaved.revision);
        const revision = options.revisionOf(id);
        state.saved = revision === undefined ? null : { from: unsaved.revision, to: revision };
        state.unsaved =
          state.unsaved === unsaved || revision === undefined ? null : { ...state.unsaved, revision };
        if (failures > 0) log.info({ credential: id, failures }, 'a renewed sign-in was finally stored');
        failures = 0;
      } catch (err) {
        if (failures++ === 0)
          log.error({ err, credential: id }, 'a renewed sign-in could not be stored; retrying');
        await delay(Math.min(100 * failures, maxPauseMs));
        await leases.claim(leaseOf(id), owner, leaseMs).catch(() => {});
      }
    }
    // Set in the same tick as the last check, so that a later renewal starts its own save.
    state.isSaving = false;
    if (!state.isRenewing) await release(id);
  }

  async function release(id: string): Promise<void> {
    // A lease that cannot be released expires.
    await leases.release(leaseOf(id), owner).catch(() => {});
  }

  options.onClose(async () => {
    isClosing = true;
    // Unsaved renewals would be lost; how long to wait for them is up to the process.
    await Promise.all([...states.values()].map(({ saving }) => saving));
  });

  return {
    obtain(task) {
      const state = stateOf(task.credentialId);
      state.waiting++;
      const token = state.lastRenewal.then(() => attempt(task)).finally(() => state.waiting--);
      state.lastRenewal = token.catch(() => {});
      return token;
    },
    get counts() {
      const unsaved = [...states.values()].filter((state) => state.unsaved !== null).length;
      return { ...counts, unsaved };
    },
    unsaved(id, revision) {
      const unsaved = states.get(id)?.unsaved;
      return unsaved?.revision === revision ? unsaved.fields : undefined;
    },
  };
}
