import { hasUnsavedChanges } from '../editing/unsaved.ts';

const scriptsOf = (page: Document): string =>
  [...page.querySelectorAll('script[src]')].map((script) => script.getAttribute('src')).join(' ');

const mine = scriptsOf(document);

/** Whether the gateway has other files by now than those that this page came with: it was upgraded meanwhile. */
export async function hasNewerFiles(): Promise<boolean> {
  try {
    const response = await fetch('/admin/', { cache: 'no-store', credentials: 'same-origin' });
    if (!response.ok) return false;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const theirs = scriptsOf(page);
    return theirs !== '' && theirs !== mine;
  } catch {
    // Away: nothing can be said of its files.
    return false;
  }
}

const reloadedFor = 'handrail.reloaded-for';

/** Loads the page anew when there are newer files, unless that would lose an edit or has been tried; says whether it does. */
export async function reloadForNewerFiles(): Promise<boolean> {
  if (hasUnsavedChanges() || !(await hasNewerFiles())) return false;
  // Whatever serves old pages from a cache must not make us reload for ever.
  if (sessionStorage.getItem(reloadedFor) === mine) return false;
  sessionStorage.setItem(reloadedFor, mine);
  location.reload();
  return true;
}
