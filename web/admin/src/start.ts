// Runs before the first paint, while the app itself is still on its way. A file of its own because the page's
// Content-Security-Policy allows no inline script, and built alone (see start-script.ts) so that it waits for nothing.
import { requestEarly } from './api/early-requests.ts';
import { addressOfInitialRequest } from './api/initial-request.ts';
import { readToken } from './api/token.ts';
import { maybeSignedIn } from './app/account/known-role.ts';
import { initialRequests, pageAt, pathOf } from './app/page-table.ts';
import { preferredLanguage } from './i18n/language.ts';

/** The files that a page or a language needs besides those that the HTML names. */
declare const filesOf: Readonly<Record<string, readonly string[]>> | undefined;

chooseScheme();
requestData();
fetchFiles();

/** Sets the colours, so that a dark page never flashes white. */
function chooseScheme(): void {
  let chosen = null;
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // Storage may be switched off; the system's choice applies.
  }
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
}

function fetchFiles(): void {
  // Not there while developing.
  if (typeof filesOf === 'undefined') return;
  const page = pageAt(pathOf(location));
  const wanted = [preferredLanguage(), ...(page === null ? [] : [page.name])];
  for (const file of new Set(wanted.flatMap((name) => filesOf[name] ?? []))) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.crossOrigin = '';
    link.href = file;
    document.head.append(link);
  }
}

function requestData(): void {
  const token = readToken();
  const headers: HeadersInit = token === null ? {} : { authorization: `Bearer ${token}` };
  if (maybeSignedIn(location)) requestEarly('/api/v1/session', headers);
  for (const request of initialRequests(location)) requestEarly(addressOfInitialRequest(request), headers);
}
