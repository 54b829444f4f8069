const key = 'handrail.admin-token';

/** The admin token of this tab, when someone signed in with one. It never leaves the tab and is gone when it closes. */
export function readToken(): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return inMemory;
  }
}

let inMemory: string | null = null;

export function keepToken(token: string | null): void {
  inMemory = token;
  try {
    if (token === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, token);
  } catch {
    // Storage may be switched off; the token then lives as long as the page.
  }
}

let csrf: string | null = null;

/** What proves that a change comes from this page; handed out with the session. */
export const readCsrf = (): string | null => csrf;

export function keepCsrf(value: string): void {
  csrf = value === '' ? null : value;
}
