import type { Session } from '../../api/resources.ts';
import { readToken } from '../../api/token.ts';

type Role = Session['role'];

const key = 'handrail.role';

/** The role someone had here last, which tells what is worth asking before the gateway said who they are. */
export function knownRole(): Role | null {
  // The admin token may do everything.
  if (readToken() !== null) return 'owner';
  try {
    return localStorage.getItem(key) as Role | null;
  } catch {
    return null;
  }
}

/** Whether somebody may be signed in: not who opens a link for new admins where nobody was before. */
export function maybeSignedIn({ pathname }: Pick<Location, 'pathname'>): boolean {
  return knownRole() !== null || !/^\/admin\/(?:setup|invitation)$/.test(pathname);
}

export function keepRole(role: Role | null): void {
  try {
    if (role === null) localStorage.removeItem(key);
    else localStorage.setItem(key, role);
  } catch {
    // Storage may be switched off; the first page then asks a little later.
  }
}
