import { contentSecurityPolicy, pageTemplate } from './page-document.js';
import type { UIConfig } from './types.ts';

const defaultTitle = 'MCP Tool Explorer';

/** Renders the page once; every request gets the same document. */
export function createPage(config: UIConfig): () => Response {
  const html = renderPage(config);
  return () =>
    new Response(html, {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': contentSecurityPolicy,
        'cache-control': 'no-cache',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      },
    });
}

type Mark = 'TITLE' | 'ALLOW_EXECUTE' | 'MODES' | 'ABOUT' | 'PROJECT_LINK';

// Split once, before any user text is inserted, so that user text is never searched or replaced.
const pieces = pageTemplate.split(/\{\{(TITLE|ALLOW_EXECUTE|MODES|ABOUT|PROJECT_LINK)\}\}/);

/**
 * The page as one document. Settings are inserted as escaped text, so the script and its hash in the policy never
 * change.
 */
export function renderPage(
  config: Pick<UIConfig, 'title' | 'allowExecute' | 'modes' | 'about' | 'projectName' | 'projectUrl'>,
): string {
  const filled: Record<Mark, string> = {
    TITLE: escapeHtml(config.title ?? defaultTitle),
    ALLOW_EXECUTE: String(config.allowExecute === true),
    MODES: escapeHtml((config.modes ?? []).join(' ')),
    ABOUT: String(config.about === true),
    PROJECT_LINK: projectLine(config.projectName ?? '', config.projectUrl ?? ''),
  };
  return pieces.map((piece, at) => (at % 2 === 0 ? piece : filled[piece as Mark])).join('');
}

function projectLine(name: string, url: string): string {
  if (name === '' && url === '') return '';
  const shown = escapeHtml(name === '' ? url : name);
  if (!mayLinkTo(url)) return name === '' ? '' : ` &middot; ${shown}`;
  return ` &middot; <a href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer">${shown}</a>`;
}

/**
 * Web and mail URLs, and paths of this origin. Browsers ignore tabs and line breaks inside a scheme, so URLs with
 * them are rejected.
 */
function mayLinkTo(address: string): boolean {
  if (/[\s\\]/.test(address)) return false;
  if (/^https?:\/\//i.test(address)) return URL.canParse(address);
  return /^mailto:/i.test(address) || /^\/(?!\/)/.test(address);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');
}
