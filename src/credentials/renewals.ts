import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { HandrailError } from '../domain/errors.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { LeaseStore } from '../storage/ports.ts';
import type { SecretFields } from './seal.ts';
import type { Token } from './token-keeper.ts';

/** What a renewal reads and does; asked anew whenever something may have changed. */
export interface RenewalTask {
  readonly credentialId: string;
  /** A token that stands in the newest fields and is good enough. */
  kept(): Token | null;
  /** Asks the authorization server. `fields` are all fields of the credential, when they changed. */
  renew(): Promise<{ readonly token: Token; readonly fields: SecretFields | null }>;
}

/**
 * Renews what may be renewed only once: many authorization servers change the refresh token with every use, and end the
 * whole connection when an old one comes again (docs/adr/0026-oauth-connections-and-token-renewal.md).
 */
export interface Renewals {
  obtain(task: RenewalTask): Promise<Token>;
  /** Fields of this revision that an authorization server gave and the store does not have yet. */
  unsaved(credentialId: string, revision: number): SecretFields | undefined;
  readonly counts: RenewalCounts;
}

/** What became of sign-ins that had to be renewed, for metrics. */
interface RenewalCounts {
  /** Renewed here. */
  readonly renewed: number;
  /** The authorization server refused, or did not answer. */
  readonly failed: number;
  /** Given up because it could not be made sure that nobody else was at it. */
  readonly givenUp: number;
  /** Renewed and not stored yet. */
  readonly unsaved: number;
}

export interface RenewalOptions {
  readonly leases: LeaseStore;
  /** Reads what other processes stored. */
  readonly sync: () => Promise<void>;
  /** How long the store has been answering without a failure. */
  readonly steadyMs: () => number;
  /** The revision that stands in the registry; undefined when the credential is gone. */
  readonly revisionOf: (credentialId: string) => number | undefined;
  /** Stores fields unless the credential has another revision by then. */
  readonly saveFields: (credentialId: string, fields: SecretFields, revision: number) => Promise<void>;
  readonly log: Pick<Logger, 'error' | 'info'>;
  readonly now: () => number;
  readonly onClose: OnClose;
}

const leaseMs = 60_000;
/** A store that was away may come back with a lease that ran out meanwhile: its owner stores what it has first. */
const steadyEnoughMs = 5_000;
const lookAgainMs = 150;
const maxWaitMs = 60_000;
const maxPauseMs = 1_000;

interface RenewalState {
  /** Renewals of one credential follow each other. */
  turn: Promise<unknown>;
  /** Whether the authorization server is being asked: until it has answered nobody else may ask it. */
  isRenewing: boolean;
  unsaved: { readonly fields: SecretFields; readonly revision: number } | null;
  /** The revision that our last save found, and the one that it made. */
  saved: { readonly from: number; readonly to: number } | null;
  isSaving: boolean;
  /** The last time that something had to be saved. */
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
    if (state === undefined)
      states.set(
        id,
        (state = {
          turn: Promise.resolve(),
          isRenewing: false,
          unsaved: null,
          saved: null,
          isSaving: false,
          saving: Promise.resolve(),
        }),
      );
    return state;
  }

  /** Whether this process may ask the authorization server now: it has the lease, and has read what others stored. */
  async function isOurTurn(id: string): Promise<boolean> {
    try {
      // What we have and could not store yet is newer than anything that others could have.
      if (stateOf(id).unsaved !== null) return true;
      if (options.steadyMs() < steadyEnoughMs) return false;
      if (!(await leases.claim(leaseOf(id), owner, leaseMs))) return false;
      await sync();
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
      // Before it is looked at whether we have the lease: what is saved meanwhile must not give it back.
      const state = stateOf(id);
      state.isRenewing = true;
      const isOurs = await isOurTurn(id);
      try {
        if (isOurs) return task.kept() ?? (await renew(task));
      } finally {
        state.isRenewing = false;
        if (isOurs && state.unsaved === null) await giveBack(id);
      }
      if (isClosing || now() >= giveUpAtMs) {
        counts.givenUp++;
        throw new HandrailError(
          'login_failed',
          'The sign-in for this API has to be renewed, and the gateway could not make sure that no other instance of it is doing so: its database is away, or another instance has not finished. Try again in a minute.',
        );
      }
      await delay(lookAgainMs);
      // A store that is away is asked again in the next round.
      await sync().catch(() => {});
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
    // What we had renewed before that may have been saved meanwhile: that is nobody else's change.
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

  /** No call waits for it; until it is done the lease keeps others from using what was replaced. */
  async function saveUntilSaved(id: string, state: RenewalState): Promise<void> {
    for (let failures = 0; state.unsaved !== null;) {
      const { unsaved } = state;
      // Somebody entered another secret, or removed it.
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
        if (failures > 0) log.info({ credential: id, failures }, 'a renewed sign-in was stored at last');
        failures = 0;
      } catch (err) {
        if (failures++ === 0)
          log.error({ err, credential: id }, 'a renewed sign-in could not be stored; trying until it is');
        await delay(Math.min(100 * failures, maxPauseMs));
        await leases.claim(leaseOf(id), owner, leaseMs).catch(() => {});
      }
    }
    // Set in the same turn as the last look: whatever is renewed from now on has somebody else to save it.
    state.isSaving = false;
    if (!state.isRenewing) await giveBack(id);
  }

  async function giveBack(id: string): Promise<void> {
    // One that cannot be given back ends by itself.
    await leases.release(leaseOf(id), owner).catch(() => {});
  }

  options.onClose(async () => {
    isClosing = true;
    // Whatever was renewed and not stored would be lost with us; how long that may take is the process's decision.
    await Promise.all([...states.values()].map(({ saving }) => saving));
  });

  return {
    obtain(task) {
      const state = stateOf(task.credentialId);
      const token = state.turn.then(() => attempt(task));
      state.turn = token.catch(() => {});
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
