/** What an admin may do: look, change the registry, or also decide about people and the installation. */
export type AdminRole = 'viewer' | 'editor' | 'owner';

const ranks: Readonly<Record<AdminRole, number>> = { viewer: 0, editor: 1, owner: 2 };

/** Whether a role includes what another one may do. */
export function roleAllows(role: AdminRole, needed: AdminRole): boolean {
  return ranks[role] >= ranks[needed];
}

/** A person who may sign in to the admin app; invited until a password is chosen. */
export interface Admin {
  readonly id: string;
  readonly name: string;
  readonly role: AdminRole;
  /** Argon2id, in its own text form; absent until the invitation is accepted. */
  readonly passwordHash?: string;
  /** A link that lets its holder choose a password once. */
  readonly invitation?: { readonly hash: string; readonly expiresAtMs: number };
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Names are compared without regard to case or surrounding space. */
export function adminNameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** A signed-in browser. Only the hash of its token is kept. */
export interface AdminSession {
  readonly hash: string;
  readonly adminId: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  readonly expiresAtMs: number;
  readonly address: string;
  readonly userAgent: string;
}

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
