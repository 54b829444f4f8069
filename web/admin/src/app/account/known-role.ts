import type { Session } from '../../api/resources.ts';
import { readToken } from '../../api/token.ts';

type Role = Session['role'];

const key = 'handrail.role';

/** The last known role in this browser. It predicts what is worth requesting before the session is confirmed. */
export function knownRole(): Role | null {
  // The admin token has every permission.
  if (readToken() !== null) return 'owner';
  try {
    return localStorage.getItem(key) as Role | null;
  } catch {
    return null;
  }
}

/** Whether someone might be signed in. False for invitation and setup links in a browser without a known role. */
export function maybeSignedIn({ pathname }: Pick<Location, 'pathname'>): boolean {
  return knownRole() !== null || !/^\/admin\/(?:setup|invitation)$/.test(pathname);
}

export function saveRole(role: Role | null): void {
  try {
    if (role === null) localStorage.removeItem(key);
    else localStorage.setItem(key, role);
  } catch {
    // If storage is disabled, the first page requests its data a little later.
  }
}
