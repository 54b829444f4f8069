import type { AccessKey } from '../domain/access-key.ts';
import type { Group, Person, PersonSession } from '../domain/person.ts';
import type { ApiToken } from '../domain/admin-api-token.ts';
import type { IdentityProvider } from '../domain/identity-provider.ts';
import type { Api } from '../domain/api.ts';
import type { Account } from '../domain/account.ts';
import type { AuditEntry } from '../domain/audit.ts';
import type { CallRecord, Surface } from '../domain/call.ts';
import type { ComposedTool } from '../domain/composed-tool.ts';
import type { Check } from '../domain/models/check.ts';
import type { Credential } from '../domain/credential.ts';
import type { GivenName, EntityKind, RegistryEntities, SetAsideRow } from '../domain/stored/read-stored.ts';
import type { Model } from '../domain/models/model.ts';
import type { Rollup, RollupDimension, RollupWidth } from '../domain/rollup.ts';
import type { FactorKind, SecondFactor, StoredFactor } from '../domain/second-factor.ts';
import type { Server } from '../domain/server.ts';
import type { Setting, StoreKind } from '../domain/settings.ts';
import type { Tool } from '../domain/tool.ts';
import type { BudgetLedger } from '../budgets/store-coordinator.ts';
import type { Hints } from '../lib/siblings.ts';
import type { RollupRow } from './roll-up.ts';

/** One change of a registry commit. Given names are keyed by server and tool. */
export type RegistryChange =
  | {
      [K in EntityKind]: { readonly op: 'put'; readonly kind: K; readonly entity: RegistryEntities[K] };
    }[EntityKind]
  | { [K in EntityKind]: { readonly op: 'delete'; readonly kind: K; readonly id: string } }[EntityKind]
  | { readonly op: 'put'; readonly kind: 'given-name'; readonly entity: GivenName }
  | {
      readonly op: 'delete';
      readonly kind: 'given-name';
      readonly serverId: string;
      readonly toolId: string;
    };

/** The whole registry at one sequence number. */
export interface RegistryState {
  readonly seq: number;
  readonly apis: readonly Api[];
  readonly tools: readonly Tool[];
  readonly servers: readonly Server[];
  readonly composedTools: readonly ComposedTool[];
  readonly credentials: readonly Credential[];
  readonly keys: readonly AccessKey[];
  readonly settings: readonly Setting[];
  readonly models: readonly Model[];
  readonly checks: readonly Check[];
  readonly identityProviders: readonly IdentityProvider[];
  readonly apiTokens: readonly ApiToken[];
  readonly givenNames: readonly GivenName[];
  /** Rows that could not be read. */
  readonly setAside: readonly SetAsideRow[];
}

/** What changed after a sequence number: the present rows of changed entities, and deletions. */
export interface RegistryDelta {
  readonly seq: number;
  readonly changes: readonly RegistryChange[];
  /** Changed rows that could not be read; `changes` has each of them as deleted. */
  readonly setAside: readonly SetAsideRow[];
}

export interface RegistryStore {
  load(): Promise<RegistryState>;
  /** Everything committed after `seq`, each entity once, in its present form. Null when the feed was pruned past `seq`: load again. */
  changesSince(seq: number): Promise<RegistryDelta | null>;
  /**
   * Commits all changes in one transaction if the registry is still at `expectedSeq`, and returns the new
   * sequence number; null (and nothing written) when someone else committed first. Durable once it returns. What the
   * audit log says about the changes is written in the same transaction.
   */
  commit(
    expectedSeq: number,
    changes: readonly RegistryChange[],
    audit?: readonly AuditEntry[],
  ): Promise<number | null>;
}

/** What to look for among call records; all given conditions must hold. */
export interface CallFilter {
  /** Made for this call. */
  readonly parentId?: string;
  readonly toolName?: string;
  readonly toolId?: string;
  readonly apiSlug?: string;
  readonly serverSlug?: string;
  readonly callerId?: string;
  readonly clientName?: string;
  readonly surface?: Surface;
  /** `ok`, an error code, a name of `outcomeGroups`, or `error` for anything that failed. */
  readonly outcome?: string;
  readonly upstreamStatus?: number;
  /** Started at this time or later. */
  readonly fromMs?: number;
  /** Started before this time. */
  readonly toMs?: number;
  /** Appears in tool name, arguments, reply, request line or message, letter case ignored. */
  readonly text?: string;
}

export interface CallPage {
  readonly calls: readonly CallRecord[];
  /** Hand it back as `cursor` for the next, older page; null at the end. */
  readonly nextCursor: string | null;
  /** Set when the search had read as much as it may and stopped there; `nextCursor` continues from it. */
  readonly searchedBackToMs: number | null;
}

/** Call records on their way into the store that made it, held in the form that it keeps them in. */
export interface CallBatch {
  readonly size: number;
  add(record: CallRecord): void;
  /** The records, for callers that need them before they are written. */
  records(): readonly CallRecord[];
}

/** How many records are in the store that this version cannot show. They are left out of every answer and left alone. */
export interface UnreadableCalls {
  /** Of a layout that only a newer version knows. */
  readonly newer: number;
  /** Damaged, as far as was noticed by coming across them. */
  readonly damaged: number;
}

export interface CallStore {
  newBatch(): CallBatch;
  /** Keeps the records of a batch. When that fails, or it is not clear whether it did, it is given again: they are kept once. */
  write(batch: CallBatch): Promise<void>;
  get(id: string): Promise<CallRecord | null>;
  /** Newest first. */
  find(filter: CallFilter, limit: number, cursor?: string): Promise<CallPage>;
  /** Counts up to `most`, and reads no more than it may: an exact count of millions would take seconds. */
  count(filter: CallFilter, most?: number): Promise<{ readonly count: number; readonly exact: boolean }>;
  /** Deletes records that started before `beforeMs`, at most `limit`, and returns how many. */
  purge(beforeMs: number, limit: number): Promise<number>;
  /**
   * Removes arguments and replies from records that started before `beforeMs`, in one step that begins with those from
   * `fromMs` on. Returns where the next step begins; null at the end.
   */
  dropContents(fromMs: number, beforeMs: number): Promise<number | null>;
  /**
   * Does one bounded step of what records need from time to time: sums of old ones, moving those of an older store, and
   * giving disk space back. Returns whether there is more to do.
   */
  maintain(): Promise<boolean>;
  unreadable(): Promise<UnreadableCalls>;
}

/** Call records added up, so that a year can be drawn without reading them. */
export interface RollupStore {
  /** Adds sums to those that are there, in one transaction. */
  add(rows: readonly RollupRow[]): Promise<void>;
  /** In the order of time. */
  find(filter: {
    readonly dimension: RollupDimension;
    readonly width: RollupWidth;
    readonly fromMs: number;
    readonly toMs: number;
    readonly name?: string | undefined;
  }): Promise<readonly Rollup[]>;
  /** The same added up over time, one for each name; `startMs` is that of the first. */
  sumByName(filter: {
    readonly dimension: RollupDimension;
    readonly width: RollupWidth;
    readonly fromMs: number;
    readonly toMs: number;
    readonly name?: string | undefined;
  }): Promise<readonly Rollup[]>;
  /** How much failed, by name and time; only where something did. */
  findErrors(filter: {
    readonly dimension: RollupDimension;
    readonly width: RollupWidth;
    readonly fromMs: number;
    readonly toMs: number;
    readonly name?: string | undefined;
  }): Promise<readonly Pick<Rollup, 'name' | 'label' | 'startMs' | 'errors'>[]>;
  /** Deletes roll-ups of one width that began before a time. */
  purge(width: RollupWidth, beforeMs: number): Promise<void>;
}

/** Small facts about the installation: admin token hash, key id, when a key was last used. */
export interface MetaStore {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  /** Sets it only when it is absent; returns the value stored afterward. Decides races between processes. */
  setIfAbsent(name: string, value: string): Promise<string>;
  delete(name: string): Promise<void>;
  /** Sets several in one transaction. */
  setAll(facts: readonly (readonly [name: string, value: string])[]): Promise<void>;
  /** Every fact whose name begins so. */
  getAll(prefix: string): Promise<(readonly [name: string, value: string])[]>;
}

/** Decides among processes on one store who does something. */
export interface LeaseStore {
  /** Takes it, or prolongs what this owner has, for a while from now; false while another owner has it. */
  claim(name: string, owner: string, forMs: number): Promise<boolean>;
  /** Gives back what this owner has. */
  release(name: string, owner: string): Promise<void>;
}

/** The sessions of signed-in people, by the hash of their token. */
export interface SessionStore {
  /** Of its person's sessions, the hundred seen most recently remain. */
  add(session: PersonSession): Promise<void>;
  get(hash: string): Promise<PersonSession | null>;
  /** Most recently seen first. */
  listOf(personId: string): Promise<PersonSession[]>;
  touch(hash: string, atMs: number): Promise<void>;
  remove(hash: string): Promise<void>;
  removeAllOf(personId: string, exceptHash?: string): Promise<void>;
  removeExpired(nowMs: number): Promise<void>;
}

/** One change of people or groups. A deleted person's sessions and grants are deleted with them. */
export type PeopleChange =
  | { readonly op: 'put'; readonly kind: 'person'; readonly entity: Person }
  | { readonly op: 'put'; readonly kind: 'group'; readonly entity: Group }
  | { readonly op: 'delete'; readonly kind: 'person' | 'group'; readonly id: string };

/** A row of a person or group that cannot be read. */
export type UnreadablePerson = Omit<SetAsideRow, 'kind'> & { readonly kind: 'person' | 'group' };

/** What a change of people can look at; it stays true until the change is committed. */
export interface PeopleView {
  get(id: string): Promise<Person | null>;
  byIdentity(identity: string): Promise<Person | null>;
  byInvitation(hash: string): Promise<Person | null>;
  /** The id of the other person who signs in with this name, readable or not. */
  nameTaken(nameKey: string, exceptId: string): Promise<string | null>;
  /** Whether anyone has a password, readable or not. */
  hasPasswords(): Promise<boolean>;
  /** Whether another owner can sign in with a password. */
  hasOtherOwner(id: string): Promise<boolean>;
  groups(): Promise<readonly Group[]>;
  groupNameTaken(nameKey: string, exceptId: string): Promise<string | null>;
}

/** People and groups: rows read by key, which are not part of the registry. A row that cannot be read is not used. */
export interface PeopleStore {
  /** Raised by every change of a person or a group. */
  seq(): Promise<number>;
  get(id: string): Promise<Person | null>;
  byIdentity(identity: string): Promise<Person | null>;
  byName(nameKey: string): Promise<Person | null>;
  byInvitation(hash: string): Promise<Person | null>;
  /** In the order they were added. */
  list(options: {
    readonly limit: number;
    readonly cursor?: string | undefined;
    readonly search?: string | undefined;
  }): Promise<{
    readonly people: readonly { readonly person: Person; readonly signedInAtMs: number | null }[];
    readonly nextCursor: string | null;
  }>;
  /** Which of these ids belong to someone, whether or not their row can be read. */
  present(ids: readonly string[]): Promise<ReadonlySet<string>>;
  count(): Promise<number>;
  /** Whether anyone has a password, readable or not. */
  hasPasswords(): Promise<boolean>;
  groups(): Promise<readonly Group[]>;
  /** Notes a sign-in; it changes nothing that a grant depends on. */
  noteSignIn(id: string, atMs: number): Promise<void>;
  /** The first rows that cannot be read. */
  unreadable(most: number): Promise<UnreadablePerson[]>;
  /** Decides and commits a change in one transaction, with its audit entries; one at a time on all instances. */
  change<T>(
    work: (view: PeopleView) => Promise<{
      readonly changes: readonly PeopleChange[];
      readonly audit: readonly AuditEntry[];
      readonly result: T;
    }>,
  ): Promise<T>;
}

/** What to look for in the audit log; all given conditions must hold. */
export interface AuditFilter {
  readonly actorId?: string;
  readonly action?: string;
  readonly subjectKind?: string;
  readonly subjectId?: string;
  /** At this time or later. */
  readonly fromMs?: number;
  /** Before this time. */
  readonly toMs?: number;
  /** Each of its words must appear somewhere in the line, in upper or lower case. */
  readonly search?: string;
}

/** Someone who appears in the audit log. */
export interface AuditActor {
  readonly id: string;
  readonly label: string;
}

/** A line of the audit log in its chain: the hash covers the line, its place and the hash before it. */
export interface AuditLine extends AuditEntry {
  readonly seq: number;
  readonly hash: string;
}

/** Where the chain of the audit log ends, and up to where retention has removed it. */
export interface AuditChain {
  readonly last: ChainPlace;
  readonly removed: ChainPlace;
}

/** A line of the chain, without what it says. */
export type ChainPlace = Pick<AuditLine, 'seq' | 'hash'>;

export interface AuditStore {
  /** Writes lines about something that is not a registry change. */
  add(entries: readonly AuditEntry[]): Promise<void>;
  /** Newest first. */
  find(
    filter: AuditFilter,
    limit: number,
    cursor?: string,
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly nextCursor: string | null }>;
  /**
   * Deletes the oldest lines from before `beforeMs`, at most `limit`, and returns how many. Lines of the chain after
   * `keepAfterSeq` stay.
   */
  purge(beforeMs: number, limit: number, keepAfterSeq?: number): Promise<number>;
  chain(): Promise<AuditChain>;
  /** Lines of the chain after a place in it, oldest first. */
  linesAfter(seq: number, limit: number): Promise<readonly AuditLine[]>;
  /** How many lines outside of the chain were written after it began. */
  unchained(): Promise<number>;
  /** Everyone who ever changed something, by their latest name. */
  actors(): Promise<readonly AuditActor[]>;
}

/** A reply that is kept for a while; what it is and what it holds are sealed before they get here. */
export interface StoredReply {
  readonly id: string;
  /** Whose it is. */
  readonly callerId: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** What its parts take. */
  readonly bytes: number;
  readonly head: Buffer;
}

/** Replies that were too long for a model, kept so that they can be read in parts. */
export interface KeptReplyStore {
  /** Keeps one whole, or not at all. */
  put(reply: StoredReply, parts: readonly Buffer[]): Promise<void>;
  /** Makes a place for one whose parts are still to come. */
  begin(reply: StoredReply): Promise<void>;
  /** Adds a part; false when the reply is not there any more. */
  addPart(id: string, part: number, content: Buffer): Promise<boolean>;
  /** Says what it has become; false when it is not there any more, or its head is another than `was`. */
  finish(
    id: string,
    end: Pick<StoredReply, 'head' | 'expiresAtMs'> & { readonly was?: Buffer },
  ): Promise<boolean>;
  remove(id: string): Promise<void>;
  /** Includes a reply that has expired but isn't removed yet. */
  get(id: string): Promise<StoredReply | null>;
  part(id: string, part: number): Promise<Buffer | null>;
  usage(): Promise<{ readonly count: number; readonly bytes: number }>;
  /** Removes expired replies, then the oldest until the rest take at most `maxBytes`. */
  removeEnded(nowMs: number, maxBytes: number): Promise<void>;
  removeAllOf(callerId: string): Promise<void>;
}

/** What is known of something that a script set out to change. */
export type EffectState = 'done' | 'failed' | 'not begun' | 'unknown';

/** A run of a script that changes something. */
export interface JournalledRun {
  readonly id: string;
  /** What its record will say, as JSON. */
  readonly head: string;
  /** The process that runs it. */
  readonly process: string;
  readonly startedAtMs: number;
}

/** A call that changes something. */
export interface JournalledEffect {
  readonly callId: string;
  /** How the script calls it. */
  readonly tool: string;
  readonly beganAtMs: number;
  /** Null until something is known. */
  readonly state: string | null;
}

/** What scripts set out to change, written down before they do. */
export interface ScriptJournalStore {
  /** Writes that a call is about to be made; with the first also the run. */
  intend(run: JournalledRun, effect: Omit<JournalledEffect, 'state'>): Promise<void>;
  settle(callId: string, state: EffectState): Promise<void>;
  end(runId: string, endedAtMs: number): Promise<void>;
  /** Runs that have no end, the oldest first. */
  unended(): Promise<JournalledRun[]>;
  /** Takes over a run from another process; false when a third one already did. */
  claim(runId: string, from: string, to: string): Promise<boolean>;
  effectsOf(runId: string): Promise<JournalledEffect[]>;
  /** Removes runs that have ended and began before. */
  removeBefore(startedBeforeMs: number): Promise<void>;
}

/** How a store is doing. */
export interface StoreState {
  /** Whether it could be used when it was asked last, and writes get through. */
  readonly isUp: boolean;
  /** How often it could not be used since the start. */
  readonly failures: number;
  /** For how long writes have been waiting or failing without one getting through; 0 while they do. */
  readonly stalledMs: number;
  /** How often a transaction was found open that nothing owned, which its connection was replaced for. */
  readonly unownedTransactions: number;
  /** Connections of this process to its database, and those of them that are in use. */
  readonly connections: number;
  readonly connectionsInUse: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/** One thing that the built-in authorization server keeps: a client, a code, a token, a consent. */
export interface GrantEntry {
  /** Its name, which can be a secret: only a hash of it is stored. */
  readonly name: string;
  readonly kind: string;
  /** The grant that it belongs to and ends with. */
  readonly grantId?: string | undefined;
  /** A second name to find it by. */
  readonly lookup?: string | undefined;
  readonly personId?: string | undefined;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** JSON text. */
  readonly doc: string;
}

/** An entry as it is read: without its name, which is not stored. */
export interface StoredGrantEntry extends Omit<GrantEntry, 'name'> {
  /** When it was used up; undefined while it wasn't. */
  readonly consumedAtMs?: number | undefined;
  readonly usedAtMs?: number | undefined;
}

/**
 * What the built-in authorization server keeps, read by name: never part of the registry's snapshot. Entries that have
 * expired are not found, whether or not they were removed.
 */
export interface GrantStore {
  /** Stores an entry, or replaces the one of this kind and name; what was noted about its use remains. */
  put(entry: GrantEntry): Promise<void>;
  get(kind: string, name: string, nowMs: number): Promise<StoredGrantEntry | null>;
  find(kind: string, lookup: string, nowMs: number): Promise<StoredGrantEntry | null>;
  /** Newest first; `beforeMs` continues a list. */
  list(
    kind: string,
    options: {
      readonly nowMs: number;
      readonly limit: number;
      readonly personId?: string | undefined;
      readonly beforeMs?: number | undefined;
    },
  ): Promise<StoredGrantEntry[]>;
  /** Those of a kind, or of one grant only. */
  count(kind: string, grantId?: string): Promise<number>;
  /** Uses an entry up; false if it is gone, or was used up before, by this process or another. */
  consume(kind: string, name: string, atMs: number): Promise<boolean>;
  /** Notes the last use of a grant's entries of one kind. */
  touch(kind: string, grantId: string, usedAtMs: number): Promise<void>;
  /** Prolongs all entries of one kind that belong to a grant; never shortens them. */
  prolong(kind: string, grantId: string, expiresAtMs: number): Promise<void>;
  remove(kind: string, name: string): Promise<void>;
  /** Removes everything that belongs to a grant; how many entries there were. */
  endGrant(grantId: string): Promise<number>;
  /** Removes everything that belongs to a person's grants. */
  endGrantsOf(personId: string): Promise<number>;
  /** Changes whenever a grant ended early, in whichever process. */
  epoch(): Promise<string>;
  /** Those of these grants that have an entry of this kind. */
  standing(kind: string, grantIds: readonly string[], nowMs: number): Promise<ReadonlySet<string>>;
  /** Removes what has expired, and of one kind what expires first, until at most `max` are left. */
  removeEnded(nowMs: number, bound?: { readonly kind: string; readonly max: number }): Promise<void>;
}

/** The second factors of people. */
export interface FactorStore {
  /** In the order they were added; `unreadable` counts rows that can't be used. */
  listOf(
    personId: string,
  ): Promise<{ readonly factors: readonly StoredFactor[]; readonly unreadable: number }>;
  /** The kinds that each of some people has. */
  kindsOf(personIds: readonly string[]): Promise<ReadonlyMap<string, readonly FactorKind[]>>;
  byLookup(lookup: string): Promise<StoredFactor | null>;
  /** Everyone's factors of a kind, by id. */
  allOf(
    kind: FactorKind,
    page: { readonly after: string; readonly limit: number },
  ): Promise<{ readonly factors: readonly StoredFactor[]; readonly last: string | null }>;
  /** Adds a factor, with recovery codes if the person has none; one at a time for each person, at most `max`. */
  add(
    factor: StoredFactor,
    max: number,
    recovery: readonly StoredFactor[],
  ): Promise<'added' | 'added with codes' | 'full' | 'known' | 'gone'>;
  replaceRecovery(personId: string, recovery: readonly StoredFactor[]): Promise<void>;
  /** Notes a use; false unless its mark is higher than that of every use before, by this process or another. */
  use(use: {
    readonly id: string;
    readonly mark: number;
    readonly usedAtMs: number;
    readonly doc?: SecondFactor | undefined;
  }): Promise<boolean>;
  /** Replaces what is stored of a factor, unless it changed. */
  replace(factor: SecondFactor, was: SecondFactor): Promise<void>;
  /** Uses a recovery code up; false if there is none, or it was used before. */
  spend(personId: string, lookup: string): Promise<boolean>;
  /** Removes an app or passkey, and the recovery codes with the last of them. */
  remove(personId: string, id: string): Promise<boolean>;
  removeAllOf(personId: string): Promise<number>;
}

/** People's own accounts at APIs, read by key. A row that cannot be read is not found. */
export interface AccountStore {
  find(personId: string, apiId: string): Promise<Account | null>;
  get(id: string): Promise<Account | null>;
  listOf(personId: string): Promise<Account[]>;
  /** Of one API, or of all, by id; continues after `afterId`. */
  list(options: {
    readonly apiId?: string | undefined;
    readonly afterId?: string | undefined;
    readonly limit: number;
  }): Promise<Account[]>;
  /**
   * Stores an account with its audit entries; false if the person is gone, or the row isn't at `before` any more (null:
   * there is none yet).
   */
  put(account: Account, before: number | null, audit?: readonly AuditEntry[]): Promise<boolean>;
  /** Removes it with its audit entries; false if there is none. */
  remove(personId: string, apiId: string, audit: readonly AuditEntry[]): Promise<boolean>;
  /** Removes all of an API; how many there were. */
  removeOfApi(apiId: string): Promise<number>;
  /** Removes those of APIs and people that are gone. */
  removeOrphans(): Promise<number>;
}

/** What became of the checks of a server when they were run; `text` is a `CheckRun` as JSON. */
export interface StoredCheckRun {
  readonly id: string;
  readonly serverId: string;
  readonly startedAtMs: number;
  readonly text: string;
}

/** The history of checks. */
export interface CheckRunStore {
  /** Keeps a run as it is now, and of its server only the newest `most`. */
  put(run: StoredCheckRun, most: number): Promise<void>;
  get(id: string): Promise<StoredCheckRun | null>;
  /** Newest first. */
  listOf(serverId: string, limit: number): Promise<StoredCheckRun[]>;
  removeAllOf(serverId: string): Promise<void>;
}

/** An import that runs on its own, and what has become of it. */
export interface StoredImportJob {
  readonly id: string;
  readonly revision: number;
  readonly updatedAtMs: number;
  readonly text: string;
}

/** Content of an import job, in parts. */
export type ImportJobContent = Readonly<Record<string, readonly Uint8Array[]>>;

/** Imports that run on their own, until some time after they ended. */
export interface ImportJobStore {
  add(job: StoredImportJob, content: ImportJobContent): Promise<void>;
  /** Replaces the revision before this one, and the content named; false if there is another or none. */
  replace(job: StoredImportJob, content?: ImportJobContent): Promise<boolean>;
  get(id: string): Promise<StoredImportJob | null>;
  /** Null if there is none of this name. */
  content(id: string, name: string): Promise<Buffer[] | null>;
  /** Newest first. */
  list(): Promise<StoredImportJob[]>;
  remove(ids: readonly string[]): Promise<void>;
}

/** The store, on SQLite or PostgreSQL. */
export interface Store {
  readonly kind: StoreKind;
  state(): StoreState;
  readonly registry: RegistryStore;
  readonly calls: CallStore;
  readonly rollups: RollupStore;
  readonly meta: MetaStore;
  readonly leases: LeaseStore;
  /** Null where the store is on one machine only. */
  readonly budgets: BudgetLedger | null;
  readonly sessions: SessionStore;
  readonly people: PeopleStore;
  readonly audit: AuditStore;
  readonly keptReplies: KeptReplyStore;
  readonly scriptJournal: ScriptJournalStore;
  readonly checkRuns: CheckRunStore;
  readonly importJobs: ImportJobStore;
  readonly grants: GrantStore;
  readonly factors: FactorStore;
  readonly accounts: AccountStore;
  /** Hints between processes on several machines, heard while the store is watched; null where the store is on one machine only. */
  readonly hints: Hints | null;
  /** Calls back soon after another process committed to the registry (within a second). Returns how to stop. */
  watch(onChange: () => void): Promise<() => Promise<void>>;
  /** Answers when the store can be read and written; rejects with a HandrailError that says why not. */
  ping(): Promise<void>;
  /** Looks for damage in the store's files, all of them or only the registry's; returns what it found and what to do, or null. */
  damage(part: 'registry' | 'all'): Promise<string | null>;
  close(): Promise<void>;
}
