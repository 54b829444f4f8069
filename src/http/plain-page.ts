import type { FastifyReply } from 'fastify';

/** The languages of the pages that work without the admin app. */
export type PageLanguage = 'en' | 'es';

/** A page and its language. */
export interface WrittenPage {
  readonly html: string;
  readonly language: string;
}

/** The browser's preferred language among those of the page. */
export function languageOf(accepted: string | undefined): PageLanguage {
  const first = (accepted ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => part.trim().slice(0, 2).toLowerCase())
    .find((name) => name === 'en' || name === 'es');
  return first === 'es' ? 'es' : 'en';
}

/** A page of its own in our looks: light and dark, on a phone as well. */
export function plainDocument(
  language: PageLanguage,
  title: string,
  body: string,
  {
    nonce,
    style = '',
    script,
    head = '',
  }: { readonly nonce: string; readonly style?: string; readonly script?: string; readonly head?: string },
): string {
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">${head}<title>${title} · Handrail</title>
<style nonce="${nonce}">${baseStyle}${style}</style></head><body><main>${body}</main>${script === undefined ? '' : `<script nonce="${nonce}">${script}</script>`}</body></html>`;
}

const baseStyle = `:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--ink:#1a1d23;--quiet:#596172;--line:#c3c9d4;--mark:#1f5fd0;--on-mark:#fff;--wrong:#b3261e}
@media (prefers-color-scheme:dark){:root{--ground:#12151b;--card:#1b2029;--ink:#eceff4;--quiet:#a5afbf;--line:#475063;--mark:#8ab4ff;--on-mark:#0b1526;--wrong:#ff9e96}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;grid-template-columns:minmax(0,30rem);place-content:center;padding:1rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:clamp(1.25rem,5vw,2rem)}
h1{font-size:1.375rem;line-height:1.25;margin:0 0 .5rem}p{margin:0 0 1rem;color:var(--quiet)}p:last-child{margin:0}a{color:var(--mark)}h1:focus{outline:0}
button{width:100%;margin-top:.75rem;min-height:2.75rem;border:0;border-radius:.5rem;background:var(--mark);color:var(--on-mark);font:inherit;font-weight:600;cursor:pointer}button:disabled{opacity:.55;cursor:default}
`;

/** Sends a page that no other site can frame or send forms from. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  page: WrittenPage,
  nonce: string,
): FastifyReply {
  reply.code(status).type('text/html; charset=utf-8').header('content-language', page.language);
  for (const [name, value] of Object.entries(pageHeaders(nonce))) reply.header(name, value);
  return reply.send(page.html);
}

/** The headers of such a page. */
export function pageHeaders(nonce: string): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    // Not "no-referrer": the form would then send "Origin: null" and be rejected.
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  };
}
