import { contentSecurityPolicy, pageParts } from './page-document.js';
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

/** Settings travel as escaped attributes: the script and its hash in the policy never change. */
function renderPage(config: UIConfig): string {
  const title = config.title ?? defaultTitle;
  const settings: Record<string, string> = {
    'data-title': title,
    'data-allow-execute': String(config.allowExecute === true),
    'data-project-name': config.projectName ?? '',
    'data-project-url': isWebAddress(config.projectUrl) ? config.projectUrl : '',
  };
  const attributes = Object.entries(settings)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
  const [beforeAttributes, beforeTitle, rest] = pageParts;
  return beforeAttributes + attributes + beforeTitle + escapeHtml(title) + rest;
}

function isWebAddress(address: string | undefined): address is string {
  return address !== undefined && /^https?:\/\//i.test(address) && URL.canParse(address);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');
}
