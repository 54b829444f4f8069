import { choice, described, type Infer, object, optional, text } from '../lib/schema/schema.ts';
import { idText, rowFields, timeMs } from './fields/row-fields.ts';

/** What an admin may do: view, change the registry, or also manage admins and the installation. */
export const adminRole = described(
  choice('viewer', 'editor', 'owner'),
  'A viewer can only look, an editor can change the registry, an owner can also manage admins and settings.',
);

export type AdminRole = Infer<typeof adminRole>;

const ranks: Readonly<Record<AdminRole, number>> = { viewer: 0, editor: 1, owner: 2 };

/** Whether a role includes the permissions of another. */
export function roleAllows(role: AdminRole, needed: AdminRole): boolean {
  return ranks[role] >= ranks[needed];
}

/** The name an admin signs in with. */
export const adminName = text({ min: 1, max: 100, pattern: /\S/, wants: 'must not be blank' });

const hashText = text({ min: 1, max: 1_000 });

/** A person who may sign in to the admin app; invited until a password is chosen. */
export const admin = object({
  ...rowFields,
  name: adminName,
  role: adminRole,
  /** Argon2id, in its own text form; absent until the invitation is accepted. */
  passwordHash: optional(hashText),
  /** A link for choosing a password once. */
  invitation: optional(object({ hash: hashText, expiresAtMs: timeMs })),
});

export type Admin = Infer<typeof admin>;

/** Names are compared ignoring case and surrounding space. */
export function adminNameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** A signed-in browser. Only the hash of its token is stored. */
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

/** Who is using the admin API, and what they may do. */
export interface AdminPrincipal {
  readonly id: string;
  readonly name: string;
  readonly role: AdminRole;
  /** How they authenticated: with the admin token, for automation, or a browser session. */
  readonly via: 'token' | 'session';
  readonly session?: AdminSession;
  /** The token a page must send with every change; empty for the admin token, which no browser adds by itself. */
  readonly csrf: string;
}
