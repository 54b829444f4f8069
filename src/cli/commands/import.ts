import { HandrailError } from '../../domain/errors.ts';
import { readSelection } from '../../import/plan/select.ts';
import { type AdminClient, withAdminClient } from '../admin-client.ts';
import { readAuth, readImportSource, readOverlays } from '../import-source.ts';
import { type Command, type CommandInput, exitCode, oneWord, text, texts, UsageError } from '../command.ts';
import { type ImportsView, showImports } from '../show-imports.ts';

/** Imports a description of an API. */
export const importCommand: Command = {
  summary: 'import an API from OpenAPI, Swagger, Postman, HAR, cURL or HandsAI',
  usage: 'FILE|FOLDER|URL|- [--api SLUG] [--dry-run] [--select tag:NAME …]',
  options: {
    api: { type: 'string', value: 'SLUG', about: 'The API to import into or create.' },
    'base-url': { type: 'string', value: 'URL', about: 'Base URL of the API, if the document has none.' },
    variable: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      about: 'Value for a variable in the base URL.',
    },
    auth: {
      type: 'string',
      value: 'HOW',
      about:
        'Authentication scheme, instead of the one in the document: bearer, basic, none, header:NAME, query:NAME, cookie:NAME.',
    },
    host: {
      type: 'string',
      value: 'HOST',
      about: 'For a document with several APIs, such as a HAR: import only the one at this host.',
    },
    'dry-run': { type: 'boolean', about: 'Only show what would change.' },
    select: {
      type: 'string',
      multiple: true,
      value: 'TERM',
      about: 'Only these operations: tag:NAME, method:GET, path:/users/*, kind:read, name:list*.',
    },
    bundle: {
      type: 'string',
      value: 'FOLDER',
      about:
        'The folder with files that the document refers to; by default, referenced files in its own folder are included.',
    },
    'header-params': { type: 'string', value: 'RULE', about: 'expose (default) or hide header parameters.' },
    'cookie-params': { type: 'string', value: 'RULE', about: 'expose (default) or hide cookie parameters.' },
    'technical-params': {
      type: 'string',
      value: 'RULE',
      about:
        'hide (default) or expose optional parameters for format, debugging or transport, such as prettyPrint.',
    },
    fix: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      about: 'Always send this value for a parameter and hide it from models: a version, a tenant, a format.',
    },
    unfix: {
      type: 'string',
      multiple: true,
      value: 'NAME',
      about: 'Remove the value that an earlier import fixed for this parameter.',
    },
    'keep-slashes': {
      type: 'boolean',
      about: 'Keep slashes in path arguments that the document marks as paths, such as {+name}.',
    },
    overlay: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      about:
        'Apply this OpenAPI Overlay to the document, now and at each refresh; "none" removes stored overlays.',
    },
    'agree-origin': {
      type: 'string',
      multiple: true,
      value: 'URL',
      about: 'Also send the API’s secrets to this server, which the document names for some operations.',
    },
    'approve-changes': {
      type: 'boolean',
      about: 'From now on, new tools and changes to a tool’s meaning wait for approval.',
    },
    'watch-minutes': { type: 'string', value: 'N', about: 'How often to check the URL for changes.' },
  },
  examples: [
    'handrail import petstore.yaml',
    'handrail import https://api.example.com/openapi.json --api example --dry-run',
    'pbpaste | handrail import - --select tag:pets',
  ],
  async run(input) {
    const source = oneWord(input, 'the file or URL');
    try {
      const { body: document, alsoRead } = await readImportSource(source, text(input, 'bundle'));
      const body = { ...document, ...readOptions(input), ...(await readOverlays(texts(input, 'overlay'))) };
      const { imports, servers } = await withAdminClient(input, (client) =>
        runWithProgress(client, body, input),
      );
      showImports(input, { imports, servers }, alsoRead);
      return exitCode.ok;
    } catch (error) {
      if (!(error instanceof HandrailError) || error.code !== 'import_unreadable') throw error;
      input.printError(`handrail: ${error.message}`);
      return exitCode.usage;
    }
  },
};

function readOptions(input: CommandInput): object {
  const select = readSelection(texts(input, 'select'));
  const fix = {
    ...Object.fromEntries(texts(input, 'unfix').map((name) => [name, null])),
    ...readPairs(input, 'fix'),
  };
  const variables = readPairs(input, 'variable');
  const minutes = text(input, 'watch-minutes');
  if (minutes !== undefined && !(Number(minutes) >= 1))
    throw new UsageError('--watch-minutes must be 1 or more');
  return {
    dryRun: input.options['dry-run'] === true,
    ...given('api', text(input, 'api')),
    ...given('baseUrl', text(input, 'base-url')),
    ...given('headers', rule(input, 'header-params')),
    ...given('cookies', rule(input, 'cookie-params')),
    ...given('technical', rule(input, 'technical-params')),
    ...given('watchEveryMs', minutes === undefined ? undefined : Math.round(Number(minutes) * 60_000)),
    ...given('approveChanges', input.options['approve-changes']),
    ...given('select', select),
    ...(texts(input, 'agree-origin').length > 0 && { agreeOrigins: texts(input, 'agree-origin') }),
    ...(Object.keys(fix).length > 0 && { fix }),
    ...(Object.keys(variables).length > 0 && { variables }),
    ...given('slashes', input.options['keep-slashes']),
    ...given('host', text(input, 'host')),
    ...given('auth', readAuth(text(input, 'auth'))),
  };
}

function given(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value };
}

function rule(input: CommandInput, name: string): string | undefined {
  const value = text(input, name);
  if (value !== undefined && value !== 'expose' && value !== 'hide')
    throw new UsageError(`--${name} must be expose or hide`);
  return value;
}

function readPairs(input: CommandInput, option: string): Record<string, string> {
  return Object.fromEntries(
    texts(input, option).map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`--${option} ${pair} is not NAME=VALUE`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

// The import responds only when it is done; another route reports its progress.
async function runWithProgress(client: AdminClient, body: object, input: CommandInput): Promise<ImportsView> {
  const show = process.stderr.isTTY && !input.json;
  if (!show) return client.request('POST', '/imports', body);
  const timer = setInterval(() => void showProgress(client), 400);
  try {
    return await client.request('POST', '/imports', body);
  } finally {
    clearInterval(timer);
    process.stderr.write('\r\x1b[K');
  }
}

async function showProgress(client: AdminClient): Promise<void> {
  const { items } = await client
    .request<{ items: { stage: string; done: number; total: number }[] }>('GET', '/imports')
    .catch(() => ({ items: [] }));
  const [first] = items;
  if (!first) return;
  const counted = first.total > 0 ? ` ${first.done} of ${first.total} operations` : '';
  process.stderr.write(`\r\x1b[K${first.stage}${counted}`);
}
