import type { AuthScheme } from '../../../domain/auth-scheme.ts';
import type {
  ApiDescription,
  DescribedOperation,
  ImportNote,
  ProposedCredential,
} from '../../../domain/description.ts';
import { importErrors } from '../../../domain/error-messages/import.ts';
import { fitToolName } from '../../../domain/names.ts';
import { annotationsByMeaning } from '../../../domain/tool-meaning.ts';
import { slugFrom } from '../../../lib/text/slug.ts';
import { nameFromPath } from '../../../openapi/names.ts';
import { operationFrom } from '../observed/observed-request.ts';
import { readCurlOptions, type CurlRequest } from './curl-options.ts';
import { shellCommands } from './shell-words.ts';
import { separateSecrets } from '../observed/separate-secrets.ts';

// What surrounds commands in a script, a terminal or a documentation page.
const beforeCurl = /^(?:#|```|~~~|(?:export\s+)?[A-Za-z_]\w*=|(?:set|cd|echo|source|sleep|export)\s)/;
const prompt = /^[ \t]*[$%>] +(?=\S*curl)/gm;

/** Whether a text consists of cURL commands: only comments, assignments and the like precede the first `curl`. */
export function isCurl(text: string): boolean {
  for (const line of text.slice(0, 20_000).replace(prompt, '').split('\n')) {
    const trimmed = line.trim();
    if (beginsWithCurl(trimmed)) return true;
    if (trimmed !== '' && !beforeCurl.test(trimmed)) return false;
  }
  return false;
}

// A pipe, another command on the same line, or the program's path may precede it.
function beginsWithCurl(line: string): boolean {
  const found = /(?:^|[\s/|;])curl(?:\.exe)?(?:\s|$)/.exec(line);
  if (found === null) return false;
  const head = line.slice(0, line.indexOf('curl', found.index));
  const cut = Math.max(head.lastIndexOf('|'), head.lastIndexOf(';'));
  const path = head.slice(cut + 1).trimStart();
  return !/['"{}:]/.test(head.slice(0, cut + 1)) && (path === '' || (path.endsWith('/') && !/\s/.test(path)));
}

/** Reads one or more cURL commands: each request becomes a tool that, called without arguments, sends what curl would. */
export function readCurl(text: string): ApiDescription {
  const requests: { request: CurlRequest; line: number; unfilled: readonly string[] }[] = [];
  const notes: ImportNote[] = [];
  for (const command of shellCommands(text.replace(prompt, '').replace(/^(?:```|~~~).*$/gm, ''))) {
    const start = command.words.findIndex((word) => /^(?:.*\/)?curl(?:\.exe)?$/.test(word));
    if (start < 0) continue;
    for (const request of readCurlOptions(command.words.slice(start + 1), command.redirected))
      requests.push({ request, line: command.line, unfilled: command.unfilled });
  }
  if (requests.length === 0) throw importErrors.curlWithoutAddress();
  const origins = requests.map(({ request }) => request.url.origin);
  const base = mostFrequent(origins);
  const taken = new Set<string>();
  const keys = new Map<string, number>();
  let auth: AuthScheme = { kind: 'none' };
  let credential: ProposedCredential | null = null;
  const operations: DescribedOperation[] = [];
  for (const { request, line, unfilled } of requests) {
    const at = `line ${line}`;
    const secrets = separateSecrets(request.headers, request.query);
    const own: ImportNote[] = request.notes.map((message) => ({ code: 'curl_option', message, at }));
    if (unfilled.length > 0)
      own.push({
        code: 'shell_variable',
        message: `The shell would have filled in ${[...new Set(unfilled)].slice(0, 5).join(', ')}; it was imported as written: set the value manually.`,
        at,
      });
    if (secrets.auth.kind !== 'none') {
      if (auth.kind === 'none') {
        auth = secrets.auth;
        // A variable that the shell would replace is not a secret to store.
        const fields = Object.values(secrets.credential?.fields ?? {});
        if (!fields.some((value) => unfilled.some((part) => value.includes(part))))
          credential = secrets.credential;
      } else if (JSON.stringify(auth) !== JSON.stringify(secrets.auth))
        own.push({
          code: 'other_authentication',
          message: 'The command authenticates differently from what the API is set to.',
          at,
        });
    }
    const { operation, notes: more } = operationFrom(
      {
        method: request.method,
        path: request.url.pathname,
        query: secrets.query.map(([name, value]) => ({ name, value })),
        headers: secrets.headers,
        ...(request.body && { body: request.body }),
        ...(request.accept && { accept: request.accept }),
      },
      'defaults',
      at,
    );
    const key = numbered(`${request.method.toUpperCase()} ${request.url.pathname}`, keys);
    const wantedName = nameFromPath(request.method, request.url.pathname);
    const name = fitToolName(wantedName, (candidate) => taken.has(candidate));
    if (operation) taken.add(name);
    operations.push({
      key,
      wantedName,
      at,
      notes: [...own, ...more],
      content: operation && {
        name,
        description: `${operation.method} ${request.url.origin}${request.url.pathname}`,
        tags: [],
        annotations: annotationsByMeaning({ method: operation.method, path: request.url.pathname })
          .annotations,
        operation: { ...operation, ...(request.url.origin !== base && { baseUrl: request.url.origin }) },
      },
    });
  }
  const host = new URL(base).hostname;
  return {
    kind: 'curl',
    wantedSlug: slugFrom(host),
    name: host,
    baseUrls: [base],
    headers: {},
    auth,
    authChoices: auth.kind === 'none' ? [] : [{ name: 'curl', auth }],
    operations,
    notes,
    ...(credential && { proposedCredential: credential }),
  };
}

function mostFrequent(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]![0];
}

function numbered(key: string, keys: Map<string, number>): string {
  const count = (keys.get(key) ?? 0) + 1;
  keys.set(key, count);
  return count === 1 ? key : `${key} (${count})`;
}
