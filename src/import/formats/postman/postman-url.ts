import {
  arrayOr,
  isObject,
  objectOr,
  textOr,
  type PlainObject,
  wordOf,
} from '../../../lib/json/plain-object.ts';
import { tidyText } from '../../../lib/text/tidy-text.ts';

/** The parts of a request's URL. */
interface PostmanUrl {
  readonly base: string | null;
  readonly path: string;
  readonly query: { name: string; value: string; description?: string }[];
  readonly variables: Record<string, { value?: string; description?: string }>;
}

/** Reads the URL of a Postman request, text or object; `:id` and `{{id}}` in its path become variables. */
export function readUrl(given: unknown, fill: (text: string) => string): PostmanUrl {
  const url = objectOr(given);
  const raw = fill(typeof given === 'string' ? given : (textOr(url['raw']) ?? rebuild(url)));
  const [beforeQuery = '', ...rest] = raw.split('#')[0]!.split('?');
  const [, origin, path = ''] = /^((?:[a-z][a-z0-9+.-]*:\/\/)?[^/]*)(\/.*)?$/i.exec(beforeQuery) ?? [];
  const listed = arrayOr(url['query']).filter(
    (entry): entry is PlainObject =>
      isObject(entry) && typeof entry['key'] === 'string' && entry['key'] !== '',
  );
  const query =
    listed.length > 0
      ? listed.map((entry) => ({
          name: fill(String(entry['key'])),
          value: plainValue(fill(wordOf(entry['value'] ?? ''))),
          ...(markdown(entry['description']) && {
            description: tidyText(markdown(entry['description'])!, 500),
          }),
        }))
      : [...new URLSearchParams(rest.join('?'))].map(([name, value]) => ({ name, value: plainValue(value) }));
  const variables: PostmanUrl['variables'] = {};
  for (const entry of arrayOr(url['variable'])) {
    if (!isObject(entry)) continue;
    const name = textOr(entry['key']) ?? textOr(entry['id']);
    if (!name || name === '__proto__') continue;
    const value = fill(wordOf(entry['value'] ?? ''));
    variables[name] = {
      ...(value !== '' && !value.includes('{{') && { value }),
      ...(markdown(entry['description']) && { description: tidyText(markdown(entry['description'])!, 500) }),
    };
  }
  const template = path
    .split('/')
    .map((segment) =>
      segment
        .replace(/^:([A-Za-z_][\w.-]*)/, '{$1}')
        .replace(/\{\{\s*\$?([^{}\s]+)\s*\}\}/g, '{$1}')
        .replace(/ /g, '%20'),
    )
    .join('/');
  return { base: baseOf(origin ?? ''), path: template === '' ? '/' : template, query, variables };
}

function rebuild(url: PlainObject): string {
  const list = (value: unknown, by: string): string =>
    Array.isArray(value)
      ? value.map((part) => wordOf((isObject(part) ? part['value'] : part) ?? '')).join(by)
      : wordOf(value ?? '');
  const protocol = textOr(url['protocol']);
  const port = url['port'] === undefined || url['port'] === '' ? '' : `:${wordOf(url['port'])}`;
  return `${protocol ? `${protocol}://` : ''}${list(url['host'], '.')}${port}/${list(url['path'], '/').replace(/^\//, '')}`;
}

function baseOf(origin: string): string | null {
  if (origin === '' || origin.includes('{{')) return null;
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(origin) ? origin : `https://${origin}`);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : null;
  } catch {
    return null;
  }
}

/** A value without variables. */
export function plainValue(value: string): string {
  return value.includes('{{') ? '' : value;
}

/** A description, given as text or as an object with its content. */
export function markdown(value: unknown): string | undefined {
  return textOr(value) ?? textOr(objectOr(value)['content']);
}
