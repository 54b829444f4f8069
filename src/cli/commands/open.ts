import { resolve } from 'node:path';
import { nameInClients } from '../../domain/names.ts';
import { secretFields } from '../../domain/secret-fields.ts';
import type { Connection } from '../../domain/mcp-clients.ts';
import { kindOf } from '../../domain/tool.ts';
import { defaultServerSlug } from '../../domain/server.ts';
import { counted } from '../../lib/text/amounts.ts';
import { logRejections } from '../../lib/log.ts';
import { documentOptions } from '../document-word.ts';
import { type Command, type CommandInput, oneWord, text, texts, UsageError } from '../command.ts';
import { clients, clientsHere, type InstalledClient } from '../connect-clients.ts';
import { askSecret, askYesNo, canAsk } from '../one-line/ask.ts';
import { callLine } from '../one-line/call-line.ts';
import { type OpenedDocument, openDocument } from '../one-line/open-document.ts';
import { leftOut } from '../show-imports.ts';
import { paint } from '../show.ts';
import { addToClient, fileOf } from './connect.ts';
import { endOnSignals, untilStopped } from './serve.ts';

/** Serves one document or running app at once, until it is asked to stop. */
export const open: Command = {
  summary: 'serve one API description or running app at once; "handrail DOCUMENT" is short for it',
  usage:
    'DOCUMENT|URL|ADDRESS [--read-only] [--select TERM …] [--mode MODE] [--port PORT] [--connect] [--save]',
  options: {
    ...documentOptions,
    mode: {
      type: 'string',
      value: 'auto|direct|search|code',
      about: 'How tools are shown; auto, the default, depends on how many tokens they cost.',
    },
    connect: {
      type: 'boolean',
      about: 'Add it to the MCP clients that are installed here, after asking for each.',
    },
    yes: { type: 'boolean', about: 'With --connect: add it to all of them without asking.' },
  },
  examples: [
    'handrail petstore.yaml',
    'handrail https://api.example.com/openapi.json --read-only',
    'handrail localhost:3000 --connect',
    'HANDRAIL_CREDENTIAL=… handrail api.yaml --select tag:orders --mode search',
  ],
  async run(input) {
    const word = oneWord(input, 'the document, URL or address');
    if (input.options['connect'] === true && input.options['yes'] !== true && !canAsk())
      throw new UsageError(
        '--connect asks for each client, which needs a terminal: add --yes to add all of them',
      );
    endOnSignals();
    // A free port, so that it can run next to anything: the address is on the first screen.
    const config = {
      ...input.config,
      ...(input.options['port'] === undefined && { port: 0 }),
      // Someone waits at a terminal for this to end.
      ...(input.options['drain-ms'] === undefined && { drainMs: 1_000 }),
    };
    const opened = await openDocument({ ...input, config }, word, input.printError);
    const { gateway } = opened;
    const { log, context } = gateway;
    logRejections(log, context.metrics);
    let url: string;
    let needs = opened.needs;
    let allowed: string | null = null;
    try {
      if (opened.blocked !== null && canAsk() && !input.json) {
        const question = `The document sends calls to ${opened.blocked}, a private address. Allow it?`;
        if (await askYesNo(question)) {
          await opened.allow(opened.blocked);
          allowed = opened.blocked;
        }
      }
      if (needs !== null && canAsk() && !input.json && secretFields(needs).length <= 2) {
        const secret = await askSecret(
          `The API needs ${needs.kind === 'basic' ? 'USER:PASSWORD' : `a ${needs.kind} credential`}; Enter skips it:`,
        );
        if (secret !== '') {
          await opened.setCredential(secret);
          needs = null;
        }
      }
      if (needs !== null) await opened.callWithout();
      url = await gateway.listen();
    } catch (error) {
      await opened.close();
      throw error;
    }
    const stopped = untilStopped(config, log, {
      close: (leaveMs) => opened.close(leaveMs),
      endNow: (why) => log.error(why),
    });
    process.on('SIGHUP', () => process.emit('SIGINT', 'SIGHUP'));
    const address = `${url}/mcp${opened.slug === defaultServerSlug ? '' : `/${opened.slug}`}`;
    if (input.json) input.print(JSON.stringify(announcement(opened, url, address)));
    else
      for (const line of firstScreen(input, opened, {
        url,
        address,
        blocked: allowed === null ? opened.blocked : null,
        needsCredential: needs !== null,
      }))
        input.print(line);
    if (input.options['connect'] === true) await connectAll(input, opened, allowed);
    context.recorder.onRecord((record) =>
      input.print(
        input.json
          ? JSON.stringify({
              event: 'call',
              tool: record.toolName,
              outcome: record.outcome,
              status: record.upstreamStatus,
              ms: record.durationMs,
            })
          : callLine(record, input.color === true),
      ),
    );
    return stopped;
  },
};

function announcement({ imports, slug, kinds }: OpenedDocument, url: string, mcp: string): object {
  const { api, name, baseUrl, cost } = imports.imports[0]!;
  return {
    event: 'listening',
    url,
    mcp,
    server: slug,
    api,
    name,
    baseUrl,
    tools: kinds,
    tokens: cost.direct,
  };
}

function firstScreen(
  input: CommandInput,
  opened: OpenedDocument,
  {
    url,
    address,
    blocked,
    needsCredential,
  }: {
    readonly url: string;
    readonly address: string;
    readonly blocked: string | null;
    readonly needsCredential: boolean;
  },
): string[] {
  const { imports, kinds, slug, foundAt } = opened;
  const strong = (line: string) => (input.color === true ? paint('strong', line) : line);
  const warn = (line: string) => (input.color === true ? paint('warn', line) : line);
  const skipped = leftOut(imports.imports, 3);
  const tools = kinds.read + kinds.write + kinds.destructive;
  const [first] = imports.imports;
  const tokens = imports.imports.reduce((sum, { cost }) => sum + cost.direct, 0);
  const mode = text(input, 'mode') ?? first!.cost.servedAs;
  const name = nameInClients(first!.api);
  return [
    '',
    ...imports.imports.map((one) => `${strong(one.name)}  calls go to ${one.baseUrl}`),
    ...(foundAt === undefined ? [] : [`Found at ${foundAt}`]),
    `${counted(tools, 'tool')}: ${kinds.read} that read, ${kinds.write} that write, ${kinds.destructive} that delete or overwrite`,
    `${tokens.toLocaleString('en')} tokens as a list; served in ${mode} mode`,
    ...(skipped.count === 0
      ? []
      : [`${counted(skipped.count, 'operation')} left out:`, ...skipped.lines.map((line) => `  ${line}`)]),
    ...(blocked === null
      ? []
      : [
          warn(
            `Calls to ${blocked}, a private address, are refused: add --base-url http://${blocked} to allow them`,
          ),
        ]),
    ...(needsCredential
      ? [
          warn(
            'The API asks for a credential, and calls go without: set HANDRAIL_CREDENTIAL, or add --credential SECRET',
          ),
        ]
      : []),
    '',
    `  MCP       ${address}`,
    `  Explorer  ${url}/explorer/${slug}   try a call in a browser`,
    `  OpenAPI   ${url}/mcp/${slug}/openapi.json`,
    ...tryLines(opened, url),
    '',
    ...clientLines(name, address),
    '',
    input.options['save'] === true
      ? `Stored in ${resolve(input.config.dataDir)}: "handrail serve" serves it again.`
      : 'Nothing is kept when this ends; --save keeps it.',
    'Calls appear here. Ctrl+C stops.',
    '',
  ];
}

/** A call that can be typed at once: of a tool that reads and needs no arguments. */
function tryLines({ gateway, slug }: OpenedDocument, url: string): string[] {
  const easy = gateway.registry.snapshot.view(slug)?.tools.find(({ compiled: { tool, inputSchema } }) => {
    return kindOf(tool) === 'read' && inputSchema['required'] === undefined;
  });
  return easy === undefined ? [] : ['', `Try it: curl -X POST ${url}/mcp/${slug}/tools/${easy.name}`];
}

function clientLines(name: string, address: string): string[] {
  const here = clientsHere();
  const connection: Connection = { name, url: address, headers: {}, bridge: program() };
  const example = here.find(({ client }) => client.file === null) ?? here[0] ?? clients.get('claude-code')!;
  const { client } = example;
  return [
    client.file === null ? 'While this runs:' : `While this runs, in ${client.title} (${client.file}):`,
    ...client
      .show(connection)
      .split('\n')
      .map((line) => `  ${line}`),
    ...(here.length === 0
      ? []
      : [
          `Installed here: ${here.map((one) => one.client.title).join(', ')}. --connect adds it to them for good: they start it themselves.`,
        ]),
  ];
}

/** Adds a server that the client starts itself, so that it also works when this process is gone. */
async function connectAll(
  input: CommandInput,
  opened: OpenedDocument,
  allowed: string | null,
): Promise<void> {
  const here = clientsHere();
  const say = input.json ? input.printError : input.print;
  if (here.length === 0) {
    say(
      'No MCP client that Handrail knows was found here: "handrail connect CLIENT" prints a configuration.',
    );
    return;
  }
  const connection = startedByClient(input, opened, allowed);
  let added = 0;
  for (const installed of here) if (await connectOne(input, installed, connection, say)) added++;
  if (added === 0) return;
  if (opened.needs !== null || text(input, 'credential') !== undefined)
    say('The credential is not written to any file: set HANDRAIL_CREDENTIAL where these clients start.');
}

async function connectOne(
  input: CommandInput,
  installed: InstalledClient,
  connection: Connection,
  say: (line: string) => void,
): Promise<boolean> {
  const { title } = installed.client;
  const question = `Add "${connection.name}" to ${title} (${fileOf(installed)})?`;
  if (input.options['yes'] !== true && !(await askYesNo(question))) return false;
  try {
    const { file, backup } = addToClient(installed, connection);
    say(`Added to ${title} (${file})${backup === null ? '' : `, previous version in ${backup}`}.`);
    return true;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    say(error.message);
    return false;
  }
}

function startedByClient(
  input: CommandInput,
  { source, imports }: OpenedDocument,
  allowed: string | null,
): Connection {
  const [command, main] = program();
  const given = ['mode', 'base-url', 'auth'].flatMap((name) => {
    const value = text(input, name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  return {
    name: nameInClients(imports.imports[0]!.api),
    command,
    args: [
      main,
      'stdio',
      source,
      ...(input.options['read-only'] === true ? ['--read-only'] : []),
      ...texts(input, 'select').flatMap((term) => ['--select', term]),
      ...given,
      ...(allowed === null ? [] : ['--base-url', `http://${allowed}`]),
    ],
  };
}

// The path of this installation: an unclaimed package name would start whatever someone publishes under it.
function program(): readonly [string, string] {
  return [process.execPath, resolve(process.argv[1]!)];
}
