import {
  choice,
  described,
  flag,
  type Infer,
  integer,
  list,
  object,
  optional,
  text,
} from '../lib/schema/schema.ts';
import { idText, rowFields, timeMs } from './fields/row-fields.ts';

/** What a person may do in the admin API: nothing, view, change the registry, or also manage people and the installation. */
export const role = described(
  choice('none', 'viewer', 'editor', 'owner'),
  'none is for people who only use servers; a viewer can look, an editor can change the registry, an owner can also manage people and settings.',
);

export type Role = Infer<typeof role>;

const ranks: Readonly<Record<Role, number>> = { none: 0, viewer: 1, editor: 2, owner: 3 };

/** Whether a role includes the permissions of another. */
export function roleAllows(actual: Role, needed: Role): boolean {
  return ranks[actual] >= ranks[needed];
}

/** The highest of some roles. */
export function highestRole(all: Iterable<Role>): Role {
  let highest: Role = 'none';
  for (const one of all) if (ranks[one] > ranks[highest]) highest = one;
  return highest;
}

/** A person's name: what a local account signs in with, and how anyone is shown. */
export const personName = text({ min: 1, max: 100, pattern: /\S/, wants: 'must not be blank' });

const hashText = text({ min: 1, max: 1_000 });

/** The issuer of accounts that exist only here. */
export const localIssuer = 'local';

/** How many groups a person can be added to by hand, and how many values of an identity provider are kept. */
export const maxGroupsOfPerson = 200;
export const maxClaims = 2_000;

/** A value that an issuer says about a person, such as the name of a group there. */
export const claimText = text({ min: 1, max: 500 });

/** Someone who may sign in or use servers; a local account is invited until its password is chosen. */
export const person = object({
  ...rowFields,
  /** `local`, or the issuer of the identity provider. Issuer and subject are the identity; nothing else ever matches anyone. */
  issuer: text({ min: 1, max: 2_000 }),
  /** The identity as one key: `local:` and the id, or a hash of issuer and whole subject, whatever their length. */
  identity: text({ min: 1, max: 200 }),
  /** How the issuer calls them, shortened: only for people to look at. */
  subject: optional(text({ max: 300 })),
  name: personName,
  /** A label. It grants, merges and matches nothing. */
  email: optional(text({ max: 320 })),
  /** The role given by hand; groups may add a higher one. */
  role,
  /** Ids of groups they were added to by hand. */
  groups: optional(list(idText, { max: maxGroupsOfPerson })),
  /** What their issuer said at the last sign-in; groups match these values. */
  claims: optional(list(claimText, { max: maxClaims })),
  /** Raised by every change that affects what their grants may do. */
  version: integer({ min: 1 }),
  disabled: optional(flag()),
  /** Argon2id, in its own text form; absent until the invitation is accepted. */
  passwordHash: optional(hashText),
  /** A link for choosing a password once. */
  invitation: optional(object({ hash: hashText, expiresAtMs: timeMs })),
});

export type Person = Infer<typeof person>;

/** Local names are compared ignoring case and surrounding space. */
export function personNameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** A value of an issuer that makes someone a member of a group. */
export const groupClaim = object({ issuer: text({ min: 1, max: 2_000 }), value: claimText });

/** A group of people: what servers give access to, and where a role can come from. */
export const group = object({
  ...rowFields,
  name: personName,
  description: optional(text({ max: 1_000 })),
  /** The role that every member has at least. */
  role: optional(role),
  /** Everyone with one of these values from that issuer is a member, in addition to those added by hand. */
  claims: optional(list(groupClaim, { max: 200 })),
});

export type Group = Infer<typeof group>;

/** How many groups there can be: every process keeps all of them in memory. */
export const maxGroups = 1_000;

/** A signed-in browser. Only the hash of its token is stored. */
export const personSession = object({
  hash: hashText,
  personId: idText,
  createdAtMs: timeMs,
  lastSeenAtMs: timeMs,
  expiresAtMs: timeMs,
  address: text({ max: 1_000 }),
  userAgent: text({ max: 10_000 }),
});

export type PersonSession = Infer<typeof personSession>;

/** Who is using the admin API, and what they may do. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** How they authenticated: with the admin token or an API token, a browser session, or the command line's login. */
  readonly via: 'token' | 'session' | 'login';
  readonly session?: PersonSession;
  /** Whether they have a password here, instead of an identity provider. */
  readonly isLocal?: boolean;
  /** Ids of the groups they are a member of. */
  readonly groups: readonly string[];
  /** What an API token is limited to; absent if it isn't. */
  readonly scopes?: readonly string[];
  /** The person whose API token this is. */
  readonly personId?: string;
  /** The token a page must send with every change; empty for the admin token, which no browser adds by itself. */
  readonly csrf: string;
}
