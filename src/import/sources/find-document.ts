import { importErrors } from '../../domain/error-messages/import.ts';
import { HandrailError } from '../../domain/errors.ts';
import { isObject, objectOr, textOr } from '../../lib/json/plain-object.ts';
import type { FetchGuarded, OutboundReply } from '../../upstream/fetch-guarded.ts';

/** An API description that was found: its address, or its text with the base URL it has without one of its own. */
export type FoundDocument =
  | { readonly url: string }
  | { readonly text: string; readonly baseUrl: string | undefined; readonly page: string };

/** Where frameworks serve a description, most common first: FastAPI, Nest, Fastify, springdoc, ASP.NET, Rails, Laravel. */
const documentPaths = [
  'openapi.json',
  'swagger.json',
  'v3/api-docs',
  'openapi.yaml',
  'openapi.yml',
  'swagger.yaml',
  'docs/json',
  'documentation/json',
  'api-json',
  'docs-json',
  'docs/openapi.json',
  'api/openapi.json',
  'api/swagger.json',
  'api/docs.json',
  'openapi/v1.json',
  'swagger/v1/swagger.json',
  'v2/api-docs',
  'api-docs',
  'api-docs.json',
  'api/schema',
  'openapi',
  'doc',
  'spec',
  '.well-known/openapi.json',
] as const;

/** Where frameworks serve a page that names its description: Swagger UI, Redoc, Scalar. */
const pagePaths = [
  'docs',
  'docs/',
  'api',
  'api/docs',
  'api-docs/',
  'swagger',
  'swagger-ui/index.html',
  'swagger/index.html',
  'redoc',
  'reference',
  'scalar',
  'documentation',
] as const;

const maxRequests = 60;
// A page, its script, and the configuration that the script names.
const maxDepth = 2;
const timeoutMs = 10_000;
/** An app that leaves requests to paths it doesn't have without an answer is given up after this. */
const maxSearchMs = 30_000;
const maxDocumentBytes = 64 * 1024 * 1024;
const maxPageBytes = 4 * 1024 * 1024;

/**
 * Finds the description of the API at an address: the address itself, what its page or headers link to, or one of the
 * usual paths, next to the address and at its origin. Throws if there is none.
 */
export async function findDocument(
  address: string,
  fetch: FetchGuarded,
  now: () => number,
): Promise<FoundDocument> {
  const start = new URL(address);
  const asked = new Set<string>();
  const endsAtMs = now() + maxSearchMs;

  async function read(url: string, maxReplyBytes: number): Promise<OutboundReply | null> {
    const leftMs = endsAtMs - now();
    if (asked.has(url) || asked.size >= maxRequests || leftMs <= 0) return null;
    asked.add(url);
    return fetch({
      url,
      headers: { accept: 'application/json, application/yaml, text/html;q=0.9, */*;q=0.5' },
      maxReplyBytes,
      maxRedirects: 5,
      timeoutMs: Math.min(timeoutMs, leftMs),
    });
  }

  /** Reads one address; a path that can't be read is one without a description. */
  async function tryDocument(url: string): Promise<OutboundReply | null> {
    try {
      const reply = await read(url, maxDocumentBytes);
      return reply?.status === 200 ? reply : null;
    } catch (error) {
      if (error instanceof HandrailError) return null;
      throw error;
    }
  }

  /** The description that a page names: in its headers, in itself, or by a script or configuration that it loads. */
  async function follow(reply: OutboundReply, page = reply.url, depth = 0): Promise<FoundDocument | null> {
    const body = reply.body.byteLength > maxPageBytes ? '' : textOf(reply);
    const inline = inlineDocument(body, page);
    if (inline !== null) return inline;
    for (const link of [...linkedDocuments(reply.headers['link']), ...namedIn(body)]) {
      // A script names addresses as the page sees them.
      const [url] = absolute(link, page);
      const linked = url === undefined ? null : await tryDocument(url);
      if (linked === null) continue;
      if (isDescription(textOf(linked))) return { url: url! };
      const found = depth < maxDepth ? await follow(linked, page, depth + 1) : null;
      if (found !== null) return found;
    }
    return null;
  }

  // The address itself was typed, so that it doesn't respond is worth an error of its own.
  const first = await read(start.href, maxDocumentBytes);
  if (first !== null && first.status < 300 && isDescription(textOf(first))) return { url: start.href };
  const named = first === null ? null : await follow(first);
  if (named !== null) return named;

  const bases = [new URL('./', start.href.replace(/[^/]$/, '$&/')).href, `${start.origin}/`];
  for (const base of new Set(bases))
    for (const path of documentPaths) {
      const { href } = new URL(path, base);
      const reply = await tryDocument(href);
      if (reply !== null && isDescription(textOf(reply))) return { url: href };
    }
  for (const base of new Set(bases))
    for (const path of pagePaths) {
      const reply = await tryDocument(new URL(path, base).href);
      const found = reply === null ? null : await follow(reply);
      if (found !== null) return found;
    }
  throw importErrors.documentNotFound({
    address: start.origin + start.pathname,
    tried: asked.size,
    said: first === null || first.status < 400 ? '' : `, which answers HTTP ${first.status}`,
  });
}

function textOf({ body }: OutboundReply): string {
  return new TextDecoder().decode(body);
}

/** Whether a text is an OpenAPI or Swagger document, or a Postman collection. */
function isDescription(text: string): boolean {
  const trimmed = text.trimStart();
  if (trimmed.startsWith('{')) {
    try {
      const value = objectOr(JSON.parse(trimmed));
      return (
        typeof value['openapi'] === 'string' ||
        typeof value['swagger'] === 'string' ||
        textOr(objectOr(value['info'])['schema'])?.includes('getpostman.com') === true
      );
    } catch {
      return false;
    }
  }
  return !trimmed.startsWith('<') && /^(?:openapi|swagger)\s*:\s*["']?[23]/m.test(text);
}

/** The targets of `Link` headers for a description (RFC 8631). */
function linkedDocuments(header: string | readonly string[] | undefined): string[] {
  const text = typeof header === 'string' ? header : (header ?? []).join(', ');
  return text
    .slice(0, 10_000)
    .split(',')
    .flatMap((link) => {
      const target = /<([^<>]*)>/.exec(link)?.[1];
      const relations = /\brel="?([^";]*)/i.exec(link)?.[1]?.toLowerCase().split(' ') ?? [];
      const isDescribing = relations.some((one) => one === 'service-desc' || one === 'describedby');
      return target !== undefined && isDescribing ? [target] : [];
    });
}

/** What a page or script of Swagger UI, Redoc or Scalar names as its description, and the scripts that may. */
function namedIn(body: string): string[] {
  const patterns = [
    /<link\b[^<>]{0,500}\brel=["']?(?:service-desc|describedby)["']?[^<>]{0,500}>/gi,
    /<redoc\b[^<>]{0,500}>/gi,
    /<script\b[^<>]{0,500}\bid=["']api-reference["'][^<>]{0,500}>/gi,
  ];
  const inTags = patterns
    .flatMap((pattern) => [...body.matchAll(pattern)])
    .flatMap(([tag]) => /\b(?:href|spec-url|data-url)=["']([^"'<>]{1,2000})["']/i.exec(tag)?.[1] ?? []);
  const inScripts = [
    ...body.matchAll(
      /["']?\b(?:spec-?url|configUrl|swaggerUrl|url)["']?\s{0,10}[:=]\s{0,10}["']([^"'<>\s]{1,2000})["']/gi,
    ),
    ...body.matchAll(/\bRedoc\.init\(\s{0,10}["']([^"'<>\s]{1,2000})["']/g),
  ].flatMap((match) => match[1] ?? []);
  const scripts = [
    ...body.matchAll(
      /["']([^"'<>\s]{0,500}(?:swagger-initializer|swagger-ui-init)\.js[^"'<>\s]{0,100})["']/g,
    ),
  ].flatMap((match) => match[1] ?? []);
  return [...new Set([...inTags, ...scripts, ...inScripts])].map(unescapeHtml).slice(0, 20);
}

function unescapeHtml(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('\\/', '/');
}

/** A description written into the page itself, as swagger-ui-express and Nest do. */
function inlineDocument(body: string, page: string): FoundDocument | null {
  const at = /["'](?:swaggerDoc|spec)["']\s{0,10}:\s{0,10}\{/.exec(body);
  if (at === null) return null;
  const text = objectAt(body, at.index + at[0].length - 1);
  if (text === null || !isDescription(text)) return null;
  const document = objectOr(JSON.parse(text));
  const servers = document['servers'];
  const server = Array.isArray(servers) && isObject(servers[0]) ? textOr(servers[0]['url']) : undefined;
  const isRelative = document['host'] === undefined && !/^https?:/i.test(server ?? '');
  const [baseUrl] = isRelative
    ? absolute(server ?? textOr(document['basePath']) ?? '/', `${new URL(page).origin}/`)
    : [undefined];
  return { text, baseUrl, page };
}

/** The JSON object that starts here; null if it doesn't end. */
function objectAt(text: string, from: number): string | null {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter === '\\') at++;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === '{') depth++;
    else if (letter === '}' && --depth === 0) return text.slice(from, at + 1);
  }
  return null;
}

function absolute(link: string, base: string): string[] {
  if (!URL.canParse(link, base)) return [];
  const url = new URL(link, base);
  url.hash = '';
  return url.protocol === 'http:' || url.protocol === 'https:' ? [url.href] : [];
}
