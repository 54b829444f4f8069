// Runs before the first paint, while the app is still loading. It is a separate file because the page's
// Content-Security-Policy allows no inline script, and built alone (see start-script.ts) so that it waits for nothing.
import { sendEarlyRequest } from './api/early-requests.ts';
import { initialRequestUrl } from './api/initial-request.ts';
import { readToken } from './api/token.ts';
import { maybeSignedIn } from './app/account/known-role.ts';
import { initialRequests, pageAt, pathOf } from './app/page-table.ts';
import { preferredLanguage } from './i18n/language.ts';

/** The files a page or language needs in addition to those named in the HTML. */
declare const filesOf: Readonly<Record<string, readonly string[]>> | undefined;

chooseScheme();
requestData();
fetchFiles();

/** Applies the color scheme early, so that a dark page never flashes white. */
function chooseScheme(): void {
  let chosen = null;
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // If storage is disabled, the system's preference applies.
  }
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
}

function fetchFiles(): void {
  // Not available in development.
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
  if (maybeSignedIn(location)) sendEarlyRequest('/api/v1/session', headers);
  for (const request of initialRequests(location)) sendEarlyRequest(initialRequestUrl(request), headers);
}
