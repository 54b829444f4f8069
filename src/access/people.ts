import type { Actor, AuditEntry } from '../domain/audit.ts';
import { accessErrors } from '../domain/error-messages/access.ts';
import { registryErrors } from '../domain/error-messages/registry.ts';
import { newId } from '../domain/ids.ts';
import {
  type Group,
  highestRole,
  localIssuer,
  maxGroups,
  type Person,
  personNameKey,
  type Role,
} from '../domain/person.ts';
import { invalidInputError } from '../domain/stored/read-stored.ts';
import { group as groupSchema, person as personSchema } from '../domain/person.ts';
import type { SignInFacts } from '../domain/identity-provider.ts';
import { oneLine } from '../lib/text/one-line.ts';
import { sameJson } from '../lib/json/same-json.ts';
import { problemsIn } from '../lib/schema/problems.ts';
import { auditChange, auditEntry } from '../registry/audit-entries.ts';
import { shownGroupFields, shownPersonFields } from '../registry/audit-fields.ts';
import { fresh, missing, revise } from '../registry/rules/find-and-revise.ts';
import type { PeopleChange, PeopleStore, PeopleView } from '../storage/ports.ts';
import { hashSecret } from './secrets.ts';

/**
 * A person as grants see them. The same object for as long as nothing about the person or any group changed, so
 * whatever is computed from it can be kept with it.
 */
export interface PersonNow {
  readonly id: string;
  readonly name: string;
  /** Raised by every change that affects what their grants may do. */
  readonly version: number;
  /** The highest of their own role and those of their groups. */
  readonly role: Role;
  /** Ids of every group they are a member of now, by hand or by what their issuer says. */
  readonly groups: readonly string[];
}

/**
 * People and groups. A grant (session, token, key, link) stores the id of its person and nothing of what the person may
 * do; each use asks here who the person is now:
 *
 *     const now = people.known(grant.personId) ?? (await people.personAtVersion(grant.personId));
 *     if (now === null) throw …;   // removed, disabled or unreadable: the grant has ended
 *     const caller = { ...personCaller(now), toolIds, … };
 *
 * Both reject with `unavailable` when this process has not reached the store for longer than HANDRAIL_MAX_REGISTRY_LAG_MS.
 * A change on any instance is seen within a second on each that reaches the store, and at once where it was made.
 */
export interface People {
  /** The person as of at most a second ago, without asking the store; undefined if it must be asked, null if there is no such active person. */
  known(id: string): PersonNow | null | undefined;
  /** The same, asking the store if needed. */
  personAtVersion(id: string): Promise<PersonNow | null>;
  /** The stored row, as it is in the store now; null if there is none, or it cannot be read. */
  read(id: string): Promise<Person | null>;
  /** What a stored person may do now. */
  nowOf(person: Person): PersonNow | null;
  /** Every group, at most a second old. */
  groups(): readonly Group[];
  /** The groups of someone about whom an issuer says these values: for tokens of a foreign issuer. */
  groupsOfClaims(issuer: string, values: readonly string[]): readonly string[];
  /** Raised whenever a person or a group changed. */
  seq(): number;
  /** Reads whether anything changed; part of following the registry. */
  sync(): Promise<void>;
  /** Calls back in this process whenever people or groups changed anywhere. */
  onChange(listener: () => void): () => void;

  createOwner(actor: Actor, input: { readonly name: string; readonly passwordHash: string }): Promise<Person>;
  invite(
    actor: Actor,
    input: {
      readonly name: string;
      readonly role: Role;
      readonly email?: string | undefined;
      readonly groups?: readonly string[] | undefined;
    },
    invitation: NonNullable<Person['invitation']>,
  ): Promise<Person>;
  update(actor: Actor, id: string, patch: PersonPatch, expectedRevision?: number): Promise<Person>;
  /** What only signing in changes: passwords, invitations, second factors. */
  revise(
    actor: Actor,
    find: (view: PeopleView) => Promise<Person | null>,
    patch: (current: Person) => Partial<Person>,
  ): Promise<Person>;
  /** Adds or updates a person who signed in at a provider. What a provider says replaces what it said before. */
  signedIn(actor: Omit<Actor, 'id'>, facts: SignInFacts): Promise<Person>;
  /** Removes a person with all their sessions and grants. */
  remove(actor: Actor, id: string): Promise<void>;
  createGroup(actor: Actor, input: GroupInput): Promise<Group>;
  updateGroup(
    actor: Actor,
    id: string,
    patch: Partial<GroupInput>,
    expectedRevision?: number,
  ): Promise<Group>;
  removeGroup(actor: Actor, id: string): Promise<void>;
  /** Removes the row of a person or group that cannot be read. */
  removeUnreadable(actor: Actor, kind: 'person' | 'group', id: string): Promise<void>;
  /** A group by id or name, or throws `not_found`. */
  findGroup(reference: string): Group;
}

/** What an owner can change about a person; null removes a value. Groups are named by id or name. */
export interface PersonPatch {
  readonly name?: string | undefined;
  readonly email?: string | null | undefined;
  readonly role?: Role | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
}

/** What an owner sets on a group. */
export interface GroupInput {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly role?: Role | undefined;
  readonly claims?: Group['claims'] | undefined;
}

export interface PeopleOptions {
  readonly store: PeopleStore;
  /** How long the store may be out of reach before grants are refused. */
  readonly maxLagMs: number;
  readonly now: () => number;
}

const maxKept = 20_000;
const maxSubject = 300;
const maxPeople = 100_000;

const pickSaid = ({ name, email, claims }: Person) =>
  JSON.parse(JSON.stringify({ name, email, claims })) as unknown;

const actions = {
  person: { create: 'person.create', update: 'person.update', delete: 'person.delete' },
  group: { create: 'group.create', update: 'group.update', delete: 'group.delete' },
} as const;

/** Opens people and groups for one process. */
export async function openPeople({ store, maxLagMs, now }: PeopleOptions): Promise<People> {
  let seq = -1;
  let readAtMs = now();
  let groups: readonly Group[] = [];
  let kept = new Map<string, PersonNow | null>();
  const listeners = new Set<() => void>();

  async function sync(): Promise<void> {
    const beganAtMs = now();
    const current = await store.seq();
    if (current !== seq) {
      const read = await store.groups();
      // Anyone read before this was read too early.
      kept = new Map();
      groups = read;
      seq = current;
      for (const listener of listeners) listener();
    }
    readAtMs = beganAtMs;
  }
  await sync();

  function requireFresh(): void {
    if (now() - readAtMs > maxLagMs) throw accessErrors.peopleUnknown({ retryAfterMs: 1_000 });
  }

  function nowOf(person: Person): PersonNow | null {
    if (person.disabled === true) return null;
    const given = new Set(person.groups);
    const said = new Set(person.claims);
    const member = groups.filter(
      ({ id, claims }) =>
        given.has(id) ||
        claims?.some(({ issuer, value }) => issuer === person.issuer && said.has(value)) === true,
    );
    return {
      id: person.id,
      name: person.name,
      version: person.version,
      role: highestRole([person.role, ...member.map((one) => one.role ?? 'none')]),
      groups: member.map(({ id }) => id),
    };
  }

  /** Commits a change and shows it in this process at once. */
  async function change<T extends Person | Group | null>(
    actor: Actor,
    decide: (view: PeopleView) => Promise<readonly [before: T | null, after: T | null]>,
  ): Promise<T> {
    const result = await store.change(async (view) => {
      const [before, after] = await decide(view);
      const changes: PeopleChange[] = [];
      const audit: AuditEntry[] = [];
      const entity = after ?? before;
      if (entity !== null) {
        const noun = 'identity' in entity ? 'person' : 'group';
        changes.push(
          after === null
            ? { op: 'delete', kind: noun, id: entity.id }
            : 'identity' in after
              ? { op: 'put', kind: 'person', entity: checked<Person>(after, personSchema) }
              : { op: 'put', kind: 'group', entity: checked<Group>(after, groupSchema) },
        );
        const done = before === null ? 'create' : after === null ? 'delete' : 'update';
        audit.push(
          auditChange(
            actor,
            now(),
            actions[noun][done],
            { kind: noun, id: entity.id, label: entity.name },
            { fields: noun === 'person' ? shownPersonFields : shownGroupFields, before, after },
          ),
        );
      }
      return { changes, audit, result: entity };
    });
    await sync();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of the two that `decide` returned
    return result as T;
  }

  async function requireName(view: PeopleView, { id, issuer, name }: Person): Promise<void> {
    if (issuer !== localIssuer) return;
    const holder = await view.nameTaken(personNameKey(name), id);
    if (holder !== null)
      throw registryErrors.personTaken(
        { name },
        { problems: [{ path: '/name', message: 'is taken' }], current: holder },
      );
  }

  async function requireOtherOwner(view: PeopleView, before: Person, after: Person | null): Promise<void> {
    const owns = (each: Person | null) =>
      each !== null && each.role === 'owner' && each.passwordHash !== undefined && each.disabled !== true;
    if (owns(before) && !owns(after) && !(await view.hasOtherOwner(before.id)))
      throw registryErrors.lastOwner();
  }

  const groupIdsOf = (all: readonly Group[], references: readonly string[]): string[] => [
    ...new Set(
      references.map((reference) => {
        const found = groupNamed(all, reference);
        if (found === undefined) throw registryErrors.groupUnknown({ group: reference });
        return found.id;
      }),
    ),
  ];

  function newPerson(input: { readonly name: string; readonly role: Role } & Partial<Person>): Person {
    const id = newId('person', now());
    return {
      ...fresh(id, { nowMs: now() }),
      issuer: localIssuer,
      identity: `${localIssuer}:${id}`,
      version: 1,
      ...input,
      name: input.name.trim(),
    };
  }

  return {
    known(id) {
      requireFresh();
      return kept.get(id);
    },
    async personAtVersion(id) {
      requireFresh();
      const present = kept.get(id);
      if (present !== undefined) return present;
      const into = kept;
      const row = await store.get(id);
      const found = row === null ? null : nowOf(row);
      if (into === kept) {
        if (into.size >= maxKept) into.delete(into.keys().next().value!);
        into.set(id, found);
      }
      return found;
    },
    read: (id) => store.get(id),
    nowOf,
    groups: () => groups,
    groupsOfClaims(issuer, values) {
      if (groups.length === 0 || values.length === 0) return [];
      const said = new Set(values);
      return groups
        .filter(({ claims }) => claims?.some((claim) => claim.issuer === issuer && said.has(claim.value)))
        .map(({ id }) => id);
    },
    seq: () => seq,
    sync,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    createOwner: (actor, input) =>
      change<Person>(actor, async (view) => {
        if (await view.hasPasswords()) throw accessErrors.alreadySetUp();
        const created = newPerson({ ...input, role: 'owner' });
        await requireName(view, created);
        return [null, created];
      }),

    invite: (actor, { name, role, email, groups: references }, invitation) =>
      change<Person>(actor, async (view) => {
        const created = newPerson({
          name,
          role,
          invitation,
          ...(email !== undefined && { email }),
          ...(references !== undefined && { groups: groupIdsOf(await view.groups(), references) }),
        });
        await requireName(view, created);
        return [null, created];
      }),

    update: (actor, id, patch, expectedRevision) =>
      change<Person>(actor, async (view) => {
        const current = (await view.get(id)) ?? missing('person', id);
        const changed: Partial<Person> = {
          ...(patch.name !== undefined && { name: patch.name.trim() }),
          ...(patch.email !== undefined && { email: patch.email ?? undefined }),
          ...(patch.role !== undefined && { role: patch.role }),
          ...(patch.groups !== undefined && { groups: groupIdsOf(await view.groups(), patch.groups) }),
          ...(patch.disabled !== undefined && { disabled: patch.disabled ? true : undefined }),
        };
        const next = revise(current, { ...changed, version: current.version + 1 }, expectedRevision, {
          nowMs: now(),
        });
        await requireName(view, next);
        await requireOtherOwner(view, current, next);
        return [current, next];
      }),

    revise: (actor, find, patch) =>
      change<Person>(actor, async (view) => {
        const current = await find(view);
        if (current === null) throw registryErrors.invitationUsed();
        const next = revise(current, { ...patch(current), version: current.version + 1 }, undefined, {
          nowMs: now(),
        });
        return [current, next];
      }),

    async signedIn(actor, facts) {
      const identity = identityOf(facts.issuer, facts.subject);
      const said = {
        name: facts.name,
        email: facts.email ?? undefined,
        claims: facts.values.length === 0 ? undefined : facts.values,
      };
      const known = await store.byIdentity(identity);
      if (known !== null && sameJson(pickSaid(known), JSON.parse(JSON.stringify(said)))) return known;
      if (known === null && (await store.count()) >= maxPeople) throw accessErrors.tooManyPeople();
      return change<Person>({ ...actor, id: known?.id ?? 'sign-in' }, async (view) => {
        const current = await view.byIdentity(identity);
        if (current !== null)
          return [
            current,
            revise(current, { ...said, version: current.version + 1 }, undefined, { nowMs: now() }),
          ];
        const { email, claims } = said;
        return [
          null,
          newPerson({
            name: said.name,
            role: 'none',
            issuer: facts.issuer,
            identity,
            // Only whole: an API that gets the subject must not take two people for one.
            ...(oneLine(facts.subject, maxSubject) === facts.subject && { subject: facts.subject }),
            ...(email !== undefined && { email }),
            ...(claims !== undefined && { claims }),
          }),
        ];
      });
    },

    async remove(actor, id) {
      await change<Person>(actor, async (view) => {
        const current = (await view.get(id)) ?? missing('person', id);
        await requireOtherOwner(view, current, null);
        return [current, null];
      });
    },

    createGroup: (actor, { description, ...input }) =>
      change<Group>(actor, async (view) => {
        if ((await view.groups()).length >= maxGroups) throw registryErrors.tooManyGroups({ max: maxGroups });
        const created: Group = {
          ...fresh(newId('group', now()), { nowMs: now() }),
          name: input.name.trim(),
          ...(input.role !== undefined && { role: input.role }),
          ...(input.claims !== undefined && { claims: input.claims }),
          ...(typeof description === 'string' && { description }),
        };
        await requireGroupName(view, created);
        return [null, created];
      }),

    updateGroup: (actor, id, patch, expectedRevision) =>
      change<Group>(actor, async (view) => {
        const current = (await view.groups()).find((one) => one.id === id) ?? missing('group', id);
        const next = revise(
          current,
          {
            ...(patch.name !== undefined && { name: patch.name.trim() }),
            ...(patch.description !== undefined && { description: patch.description ?? undefined }),
            ...(patch.role !== undefined && { role: patch.role }),
            ...(patch.claims !== undefined && { claims: patch.claims }),
          },
          expectedRevision,
          { nowMs: now() },
        );
        await requireGroupName(view, next);
        return [current, next];
      }),

    async removeGroup(actor, id) {
      await change<Group>(actor, async (view) => [
        (await view.groups()).find((one) => one.id === id) ?? missing('group', id),
        null,
      ]);
    },

    async removeUnreadable(actor, kind, id) {
      const rows = await store.unreadable(maxKept);
      const row = rows.find((each) => each.kind === kind && each.id === id);
      if (row === undefined) throw registryErrors.setAsideNotFound({ kind, id });
      await store.change(async () => ({
        changes: [{ op: 'delete', kind, id }],
        audit: [
          auditEntry(actor, now(), actions[kind].delete, { kind, id, label: row.columns['name_key'] ?? id }),
        ],
        result: null,
      }));
      await sync();
    },

    findGroup: (reference) => groupNamed(groups, reference) ?? missing('group', reference),
  };
}

async function requireGroupName(view: PeopleView, { id, name }: Group): Promise<void> {
  const holder = await view.groupNameTaken(personNameKey(name), id);
  if (holder !== null)
    throw registryErrors.groupTaken(
      { name },
      { problems: [{ path: '/name', message: 'is taken' }], current: holder },
    );
}

function groupNamed(all: readonly Group[], reference: string): Group | undefined {
  const key = personNameKey(reference);
  return all.find(({ id, name }) => id === reference || personNameKey(name) === key);
}

function checked<T extends { readonly name: string }>(
  entity: T,
  schema: Parameters<typeof problemsIn>[0],
): T {
  const problems = problemsIn(schema, entity);
  if (problems.length > 0)
    throw invalidInputError(`${JSON.stringify(entity.name.slice(0, 80))} cannot be saved`, problems);
  return entity;
}

/** The identity of someone an issuer names: hashed whole, because subjects can be of any length. */
export function identityOf(issuer: string, subject: string): string {
  return hashSecret(`${issuer.length}:${issuer}:${subject}`);
}
