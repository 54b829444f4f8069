import type { ServerTemplate } from '../domain/fields/server-template.ts';
import { arrayOr, isObject, objectOr, type PlainObject, textOr, wordOf } from '../lib/json/plain-object.ts';
import { below, type Located, type Place } from './bundle.ts';
import type { Notes } from './notes.ts';
import type { Reading } from './reading.ts';
import { tidyText, trimEndOf } from '../lib/text/tidy-text.ts';

const maxAlternatives = 12;

/** The base URLs of a `servers` list, with variables set to their defaults; other allowed values give more URLs. */
export function readServers(reading: Reading, servers: Located, notes: Notes): string[] {
  const urls: string[] = [];
  for (const [i, server] of arrayOr(servers.value).entries()) {
    const at = below(servers.at, i);
    if (!isObject(server) || typeof server['url'] !== 'string') {
      notes.add('server_dropped', 'A server without "url" is left out.', at);
      continue;
    }
    for (const text of fillVariables(server['url'].trim(), objectOr(server['variables']), at, notes)) {
      const url = absolute(text, reading.documentUrl);
      if (url === null) {
        notes.add(
          'server_dropped',
          `The server ${JSON.stringify(text.replace(/\/\/[^/@]*@/, '//…@'))} is left out: ${isRelative(text) ? 'it is relative, and the document was not fetched from a URL: enter the base URL' : 'it is not a URL that can be called'}.`,
          at,
        );
      } else if (!urls.includes(url)) urls.push(url);
    }
    if (urls.length >= maxAlternatives) break;
  }
  return urls;
}

/** The first server whose URL has variables, as settings of the API; null if there is none. */
export function readServerTemplate(reading: Reading, servers: Located): ServerTemplate | null {
  const first = arrayOr(servers.value).find(
    (server) => isObject(server) && typeof server['url'] === 'string',
  );
  const { url, variables } = objectOr(first) as { url?: string; variables?: unknown };
  const names = [...new Set([...(url ?? '').matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]!))];
  if (url === undefined || names.length === 0 || names.includes('__proto__')) return null;
  const declared = objectOr(variables);
  const described = names.map((name) => {
    const variable = objectOr(declared[name]);
    const allowed = allowedValues(variable);
    const description = textOr(variable['description']);
    return [
      name,
      {
        value: (variable['default'] === undefined ? allowed[0] : wordOf(variable['default'])) ?? '',
        ...(allowed.length > 0 && { allowed }),
        ...(description && { description: tidyText(description, 500) }),
      },
    ] as const;
  });
  // A relative URL is only resolved if its variables cannot be confused with a part of it.
  const whole =
    isRelative(url) && reading.documentUrl !== undefined ? completed(url, reading.documentUrl) : url;
  return { url: trimEndOf(whole.trim(), '/'), variables: Object.fromEntries(described) };
}

function completed(url: string, documentUrl: string): string {
  const held = url.replaceAll('{', '%7B').replaceAll('}', '%7D');
  return new URL(held, documentUrl).href.replaceAll('%7B', '{').replaceAll('%7D', '}');
}

function allowedValues(variable: PlainObject): string[] {
  return arrayOr(variable['enum'])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String);
}

/** Swagger 2's `schemes`, `host` and `basePath`. */
export function readHost(reading: Reading, notes: Notes): string[] {
  const { value, at } = reading.root;
  const basePath = textOr(value['basePath']) ?? '';
  const path = basePath === '' || basePath.startsWith('/') ? basePath : `/${basePath}`;
  const host = trimEndOf((textOr(value['host']) ?? '').trim().replace(/^[a-z]+:\/\//i, ''), '/');
  const document = reading.documentUrl === undefined ? null : new URL(reading.documentUrl);
  if (!host && !document) {
    return readServers(reading, { value: [{ url: path || '/' }], at }, notes);
  }
  const declared = arrayOr(value['schemes']).filter(
    (scheme): scheme is string => scheme === 'http' || scheme === 'https',
  );
  const schemes =
    declared.length > 0
      ? [...declared].toSorted().toReversed()
      : [document?.protocol.replace(':', '') ?? 'https'];
  const urls: string[] = [];
  for (const scheme of schemes) {
    const url = absolute(`${scheme}://${host || document!.host}${path}`, undefined);
    if (url) urls.push(url);
    else
      notes.add(
        'server_dropped',
        `The host ${JSON.stringify(host)} is left out: it does not form a URL that can be called.`,
        below(at, 'host'),
      );
  }
  return urls;
}

function isRelative(url: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(url);
}

function absolute(text: string, base: string | undefined): string | null {
  try {
    const url = isRelative(text) ? (base === undefined ? null : new URL(text, base)) : new URL(text);
    if (
      !url ||
      (url.protocol !== 'http:' && url.protocol !== 'https:') ||
      url.host === '' ||
      url.username ||
      url.password
    )
      return null;
    url.hash = '';
    return trimEndOf(url.href, '/');
  } catch {
    return null;
  }
}

function fillVariables(
  url: string,
  variables: Readonly<Record<string, unknown>>,
  at: Place,
  notes: Notes,
): string[] {
  let texts = [url];
  for (const [, name] of url.matchAll(/\{([^{}]+)\}/g)) {
    const variable = objectOr(variables[name!]);
    const allowed = allowedValues(variable);
    const standard = variable['default'] === undefined ? allowed[0] : wordOf(variable['default']);
    if (standard === undefined) {
      notes.add(
        'server_variable_unset',
        `The server variable {${name}} has no default: set a value for it.`,
        at,
      );
      return [];
    }
    const values = [standard, ...allowed.filter((value) => value !== standard)];
    texts = texts
      .flatMap((text) => values.map((value) => text.replaceAll(`{${name}}`, value)))
      .slice(0, maxAlternatives);
  }
  return texts;
}
