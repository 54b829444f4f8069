import type { ApiDescription, DescribedOperation, ImportNote } from '../../../domain/description.ts';
import { importErrors } from '../../../domain/error-messages/import.ts';
import type { JsonValue } from '../../../domain/json-schema.ts';
import { fitToolName } from '../../../domain/names.ts';
import type { Parameter } from '../../../domain/operation.ts';
import { annotationsByMeaning } from '../../../domain/tool-meaning.ts';
import { isSecretName } from '../../../lib/secrets/mask-secrets.ts';
import {
  arrayOr,
  isObject,
  objectOr,
  textOr,
  type PlainObject,
  wordOf,
} from '../../../lib/json/plain-object.ts';
import { slugFrom } from '../../../lib/text/slug.ts';
import { mediaKind } from '../../../lib/text/media-type.ts';
import { nameFromPath } from '../../../openapi/names.ts';
import { inferSchema, operationFrom, type ObservedBody } from '../observed/observed-request.ts';
import { templateFor } from '../observed/path-template.ts';
import { separateSecrets } from '../observed/separate-secrets.ts';

// HAR 1.2: http://www.softwareishard.com/blog/har-12-spec/

/** Whether a value is a HAR. */
export function isHar(value: unknown): value is PlainObject {
  return isObject(value) && isObject(value['log']) && Array.isArray(value['log']['entries']);
}

interface RecordedRequest {
  readonly url: URL;
  readonly method: string;
  readonly template: string;
  readonly values: Record<string, { value: string }>;
  readonly request: PlainObject;
  readonly response: PlainObject;
  readonly index: number;
}

const pageParts = /^(?:image|font|audio|video)\/|^text\/css|javascript/i;

/** Reads recorded requests: one API per origin, one operation per method and path, without secrets. */
export function readHar(har: PlainObject): ApiDescription[] {
  const entries = arrayOr(objectOr(har['log'])['entries']);
  const byOrigin = new Map<string, Map<string, RecordedRequest[]>>();
  let other = 0;
  for (const [index, entry] of entries.entries()) {
    const seen = readEntry(entry, index);
    if (!seen) {
      other++;
      continue;
    }
    const operations = byOrigin.get(seen.url.origin) ?? new Map<string, RecordedRequest[]>();
    byOrigin.set(seen.url.origin, operations);
    const key = `${seen.method} ${seen.template}`;
    operations.set(key, [...(operations.get(key) ?? []), seen]);
  }
  if (byOrigin.size === 0) throw importErrors.harWithoutRequests();
  const notes: ImportNote[] =
    other === 0
      ? []
      : [
          {
            code: 'entries_left_out',
            message: `${other} recorded ${other === 1 ? 'entry that is not an HTTP request was' : 'entries that are not HTTP requests were'} left out (sockets, data: and blob: URLs).`,
            at: '#/log/entries',
          },
        ];
  return [...byOrigin].map(([origin, operations], i) => ({
    ...readOrigin(origin, operations),
    notes: i === 0 ? notes : [],
  }));
}

function readEntry(entry: unknown, index: number): RecordedRequest | null {
  const request = objectOr(objectOr(entry)['request']);
  try {
    const url = new URL(String(request['url']));
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
    const { template, values } = templateFor(url.pathname);
    return {
      url,
      method: (textOr(request['method']) ?? 'GET').toUpperCase(),
      template,
      values,
      request,
      response: objectOr(objectOr(entry)['response']),
      index,
    };
  } catch {
    return null;
  }
}

function readOrigin(
  origin: string,
  operations: ReadonlyMap<string, readonly RecordedRequest[]>,
): ApiDescription {
  const taken = new Set<string>();
  let auth: ApiDescription['auth'] = { kind: 'none' };
  const described: DescribedOperation[] = [];
  for (const [key, seen] of operations) {
    const first = seen[0]!;
    const at = `#/log/entries/${first.index}`;
    const needless = seen.every(isPagePart)
      ? {
          code: 'page_part',
          message:
            'Not imported: part of a web page (a picture, a script, a style sheet), not an API response.',
        }
      : seen.every(isPreflight)
        ? {
            code: 'preflight',
            message: 'Not imported: a CORS preflight request of the browser, not a call.',
          }
        : null;
    if (needless) {
      described.push({
        key,
        wantedName: nameFromPath(first.method, first.template),
        at,
        notes: [{ ...needless, at }],
        content: null,
      });
      continue;
    }
    const secrets = separateSecrets(headersOf(first.request), [...first.url.searchParams]);
    if (auth.kind === 'none') auth = secrets.auth;
    const query = queryOf(seen).filter(
      ([name]) => secrets.query.some(([kept]) => kept === name) || !isSecretName(name),
    );
    const built = operationFrom(
      {
        method: first.method,
        path: first.template,
        pathValues: first.values,
        query: query.map(([name, value]) => ({ name, value })),
        headers: secrets.headers.filter(([name]) =>
          /^x-(?!forwarded|real|request-id|datadog|csrf)/i.test(name),
        ),
        ...bodyOf(first.request),
      },
      'recordings',
      at,
    );
    const wantedName = nameFromPath(first.method, first.template);
    const name = fitToolName(wantedName, (candidate) => taken.has(candidate));
    if (built.operation) taken.add(name);
    const always = (parameter: Parameter): Parameter =>
      parameter.in === 'query' &&
      seen.length > 1 &&
      seen.every((one) => one.url.searchParams.has(parameter.key ?? parameter.name))
        ? { ...parameter, required: true }
        : parameter;
    const reply = replyOf(seen);
    described.push({
      key,
      wantedName,
      at,
      notes: [
        ...built.notes,
        {
          code: 'observed_only',
          message: `Made from ${seen.length} observed request${seen.length === 1 ? '' : 's'}: names and types are inferred from them.`,
          at,
        },
      ],
      content: built.operation && {
        name,
        description: `${first.method} ${first.template}, as observed.`,
        tags: [],
        annotations: annotationsByMeaning({ method: first.method, path: first.template }).annotations,
        operation: { ...built.operation, parameters: built.operation.parameters.map(always), ...reply },
      },
    });
  }
  const host = new URL(origin).hostname;
  return {
    kind: 'har',
    wantedSlug: slugFrom(host),
    name: host,
    baseUrls: [origin],
    headers: {},
    auth,
    authChoices: auth.kind === 'none' ? [] : [{ name: 'observed', auth }],
    operations: described,
    notes: [],
  };
}

// Every observed name, with all the values of the first request that had it.
function queryOf(seen: readonly RecordedRequest[]): [string, string][] {
  const known = new Set<string>();
  return seen.flatMap(({ url }) => {
    const fresh = [...url.searchParams].filter(([name]) => !known.has(name));
    for (const [name] of fresh) known.add(name);
    return fresh;
  });
}

function isPagePart({ method, response }: RecordedRequest): boolean {
  return method === 'GET' && pageParts.test(textOr(objectOr(response['content'])['mimeType']) ?? '');
}

function isPreflight({ method, request }: RecordedRequest): boolean {
  return (
    method === 'OPTIONS' && headersOf(request).some(([name]) => /^access-control-request-method$/i.test(name))
  );
}

function headersOf(request: PlainObject): [string, string][] {
  return arrayOr(request['headers'])
    .filter(isObject)
    .map((header): [string, string] => [wordOf(header['name'] ?? ''), wordOf(header['value'] ?? '')])
    .filter(([name]) => name !== '' && !name.startsWith(':'));
}

function bodyOf(request: PlainObject): { body?: ObservedBody } {
  const posted = objectOr(request['postData']);
  const mediaType = (textOr(posted['mimeType']) ?? 'application/octet-stream').trim();
  const params = arrayOr(posted['params']).filter(isObject);
  if (params.length > 0 && (mediaKind(mediaType) === 'form' || mediaKind(mediaType) === 'multipart')) {
    return {
      body: {
        mediaType: mediaType.split(';')[0]!,
        fields: params.map((param) => {
          // Only forms are recorded in their encoded form.
          const plain = mediaKind(mediaType) === 'form' ? decode : (value: string) => value;
          return {
            name: plain(wordOf(param['name'] ?? '')),
            value: plain(wordOf(param['value'] ?? '')),
            ...(param['fileName'] !== undefined && { file: true }),
            ...(textOr(param['contentType']) && { contentType: textOr(param['contentType'])! }),
          };
        }),
      },
    };
  }
  const text = textOr(posted['text']);
  const bytes = mediaKind(mediaType) === 'binary' || posted['encoding'] === 'base64';
  if (bytes && (text || Number(request['bodySize']) > 0)) return { body: { mediaType, fromFile: true } };
  return text ? { body: { mediaType, text } } : {};
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

// The shape of a reply, never its content.
function replyOf(seen: readonly RecordedRequest[]): {
  replySchema?: ReturnType<typeof inferSchema>;
  accept?: string;
} {
  for (const { response } of seen) {
    const content = objectOr(response['content']);
    const type = textOr(content['mimeType']);
    if (!type || Number(response['status']) >= 400) continue;
    const accept = type.split(';')[0]!.trim();
    if (mediaKind(type) !== 'json' || content['encoding'] === 'base64') return { accept };
    try {
      const value: JsonValue = JSON.parse(textOr(content['text']) ?? '');
      return { accept, replySchema: inferSchema(value) };
    } catch {
      return { accept };
    }
  }
  return {};
}
