const key = 'handrail.admin-token';

/**
 * The admin token of this tab, if that was used to sign in. It never leaves the tab and is gone when the tab closes.
 */
export function readToken(): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return inMemory;
  }
}

let inMemory: string | null = null;

export function saveToken(token: string | null): void {
  inMemory = token;
  try {
    if (token === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, token);
  } catch {
    // If storage is disabled, the token lasts as long as the page.
  }
}

let csrf: string | null = null;

/** The CSRF token that comes with the session and proves that a change comes from this page. */
export const readCsrf = (): string | null => csrf;

export function saveCsrf(value: string): void {
  csrf = value === '' ? null : value;
}
