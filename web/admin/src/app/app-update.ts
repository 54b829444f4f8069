import { hasUnsavedChanges } from '../editing/unsaved.ts';

const scriptsOf = (page: Document): string =>
  [...page.querySelectorAll('script[src]')].map((script) => script.getAttribute('src')).join(' ');

const mine = scriptsOf(document);

/** Whether the gateway now serves different files than this page was loaded from, because it was upgraded. */
export async function hasAppUpdate(): Promise<boolean> {
  try {
    const response = await fetch('/admin/', { cache: 'no-store', credentials: 'same-origin' });
    if (!response.ok) return false;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const theirs = scriptsOf(page);
    return theirs !== '' && theirs !== mine;
  } catch {
    // The gateway is unreachable, so nothing is known about its files.
    return false;
  }
}

const reloadedFor = 'handrail.reloaded-for';

/**
 * Reloads the page if there is an update, unless that would lose edits or was already tried. Resolves to whether it
 * reloads.
 */
export async function reloadForUpdate(): Promise<boolean> {
  if (hasUnsavedChanges() || !(await hasAppUpdate())) return false;
  // A cache that keeps serving the old page must not cause a reload loop.
  if (sessionStorage.getItem(reloadedFor) === mine) return false;
  sessionStorage.setItem(reloadedFor, mine);
  location.reload();
  return true;
}
