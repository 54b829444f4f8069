import { choice, described, type Infer, object, optional, text } from '../lib/schema/schema.ts';
import { idText, rowFields, timeMs } from './fields/row-fields.ts';

/** What an admin may do: look, change the registry, or also decide about people and the installation. */
export const adminRole = described(
  choice('viewer', 'editor', 'owner'),
  'A viewer looks, an editor changes the registry, an owner also decides about admins and settings.',
);

export type AdminRole = Infer<typeof adminRole>;

const ranks: Readonly<Record<AdminRole, number>> = { viewer: 0, editor: 1, owner: 2 };

/** Whether a role includes what another one may do. */
export function roleAllows(role: AdminRole, needed: AdminRole): boolean {
  return ranks[role] >= ranks[needed];
}

/** What an admin signs in as. */
export const adminName = text({ min: 1, max: 100, pattern: /\S/, wants: 'must not be blank' });

const hashText = text({ min: 1, max: 1_000 });

/** A person who may sign in to the admin app; invited until a password is chosen. */
export const admin = object({
  ...rowFields,
  name: adminName,
  role: adminRole,
  /** Argon2id, in its own text form; absent until the invitation is accepted. */
  passwordHash: optional(hashText),
  /** A link that lets its holder choose a password once. */
  invitation: optional(object({ hash: hashText, expiresAtMs: timeMs })),
});

export type Admin = Infer<typeof admin>;

/** Names are compared without regard to case or surrounding space. */
export function adminNameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** A signed-in browser. Only the hash of its token is kept. */
export const adminSession = object({
  hash: hashText,
  adminId: idText,
  createdAtMs: timeMs,
  lastSeenAtMs: timeMs,
  expiresAtMs: timeMs,
  address: text({ max: 1_000 }),
  userAgent: text({ max: 10_000 }),
});

export type AdminSession = Infer<typeof adminSession>;

/** Who asks the admin API, and what they may do. */
export interface AdminPrincipal {
  readonly id: string;
  readonly name: string;
  readonly role: AdminRole;
  /** How they proved it: the admin token of automation, or a browser's session. */
  readonly via: 'token' | 'session';
  readonly session?: AdminSession;
  /** What a page must send back with every change; empty for the token, which no browser adds by itself. */
  readonly csrf: string;
}
