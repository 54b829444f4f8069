import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isEmbedded } from '../../config/store-location.ts';
import { defaultServer, defaultServerSlug } from '../../domain/server.ts';
import { isPrivateToThisMachine } from '../../config/reachable.ts';
import { predictOpening, greetingFor, openingFact, readOpening } from '../../mcp/stdio/greeting.ts';
import type { ServerIntroduction } from '../../mcp/core/introduction.ts';
import { createLineChannel, type LineChannel } from '../../mcp/stdio/line-channel.ts';
import { version } from '../../version.ts';
import { documentOptions } from '../document-word.ts';
import { type Command, type CommandInput, exitCode, text, UsageError } from '../command.ts';
import { logRejections } from '../../lib/log.ts';
import { objectOr } from '../../lib/json/plain-object.ts';

/** Serves MCP over standard input and output, from a data folder, one document or a remote gateway. */
export const stdio: Command = {
  summary: 'serve MCP over standard input and output',
  usage: '[DOCUMENT|ADDRESS | --server SLUG | --url URL [--key KEY]] [--mode MODE]',
  options: {
    ...documentOptions,
    server: {
      type: 'string',
      value: 'SLUG',
      about: 'The server to serve; by default the default server.',
    },
    mode: {
      type: 'string',
      value: 'direct|search|code',
      about: "How tools are shown, instead of the server's own mode.",
    },
    key: {
      type: 'string',
      value: 'KEY',
      about: 'Access key for --url; prefer HANDRAIL_KEY, which does not appear in process lists.',
    },
  },
  examples: [
    'handrail stdio',
    'handrail stdio --server weather --data-dir ~/handrail-data',
    'HANDRAIL_CREDENTIAL=… handrail stdio api.yaml --read-only',
    'HANDRAIL_KEY=hrk_… handrail stdio --url https://gateway.example.com/mcp/weather',
  ],
  async run(input) {
    const [document, unexpected] = input.words;
    if (unexpected !== undefined) throw new UsageError(`unexpected "${unexpected}"`);
    const needless = Object.keys(documentOptions).find((name) => input.options[name] !== undefined);
    if (document === undefined && needless !== undefined)
      throw new UsageError(`--${needless} needs a document`);
    if (document !== undefined && text(input, 'server') !== undefined)
      throw new UsageError('--server and a document exclude each other');
    const channel = createLineChannel(process.stdin, process.stdout);
    const stop = new AbortController();
    const stopped = once(stop.signal, 'abort');
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort());
    try {
      if (document !== undefined) await serveDocument(input, document, channel, stopped);
      else if (input.url === undefined) await serveDataFolder(input, channel, stop.signal, stopped);
      else {
        const { bridge } = await import('../stdio-bridge.ts');
        const key = text(input, 'key') ?? process.env['HANDRAIL_KEY'];
        await bridge(channel, serverAddress(input.url, text(input, 'server'), text(input, 'mode')), key, {
          drainMs: input.config.drainMs,
          stopped,
        });
      }
    } finally {
      // An open input would keep the process alive.
      process.stdin.destroy();
    }
    return exitCode.ok;
  },
};

async function serveDocument(
  input: CommandInput,
  document: string,
  channel: LineChannel,
  stopped: Promise<unknown>,
): Promise<void> {
  const { openDocument } = await import('../one-line/open-document.ts');
  const { localCaller } = await import('../../access/callers.ts');
  const opened = await openDocument(input, document, input.printError);
  const { gateway, slug, blocked, needs } = opened;
  logRejections(gateway.log, gateway.context.metrics);
  if (blocked !== null)
    input.printError(
      `handrail: calls to ${blocked} are refused: add --base-url http://${blocked} to allow them.`,
    );
  if (needs !== null)
    input.printError(
      'handrail: the API asks for a credential, and calls go without: set HANDRAIL_CREDENTIAL where this is started.',
    );
  try {
    if (needs !== null) await opened.callWithout();
    const lane = await gateway.context.mcp.serveLines(channel, slug, localCaller, new Set());
    await Promise.race([channel.ended, stopped]);
    await Promise.race([lane.settled(), stopped, delay(input.config.drainMs, undefined, { ref: false })]);
    await lane.close();
  } finally {
    await opened.close();
  }
}

async function serveDataFolder(
  input: CommandInput,
  channel: LineChannel,
  stopping: AbortSignal,
  stopped: Promise<unknown>,
): Promise<void> {
  const slug = text(input, 'server') ?? defaultServerSlug;
  const { held, answered, opened } = await greet(input, channel, slug);
  // Newer versions of Node load modules without processing input in between, so the greeting would have to wait for
  // all of them.
  await Promise.race([opened, channel.ended, stopped]);
  if (stopping.aborted) return;
  const { localCaller } = await import('../../access/callers.ts');
  const { createGateway } = await import('../../gateway.ts');
  const config = {
    ...input.config,
    // Nothing listens, so only the owner of the data folder can connect.
    logLevel: input.config.logLevel === 'info' ? ('warn' as const) : input.config.logLevel,
  };
  const gateway = await createGateway(config);
  logRejections(gateway.log, gateway.context.metrics);
  try {
    const lane = await gateway.context.mcp.serveLines(held, slug, localCaller, answered, text(input, 'mode'));
    await Promise.race([channel.ended, stopped]);
    // A program that pipes requests in closes the pipe before the responses are ready.
    await Promise.race([lane.settled(), stopped, delay(config.drainMs, undefined, { ref: false })]);
    await lane.close();
  } finally {
    await gateway.close();
  }
}

/**
 * Responds to the first message of a connection immediately; all messages, including that one, are queued for the
 * gateway.
 */
async function greet(input: CommandInput, channel: LineChannel, slug: string) {
  const answered = new Set<unknown>();
  const waiting: unknown[] = [];
  let forward: ((message: unknown) => void) | null = null;
  let first = true;
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const server = await foresee(input, slug, text(input, 'mode'));
  channel.listen((message) => {
    if (first && server) {
      const greeting = greetingFor(message, server, version);
      if (greeting !== undefined) {
        answered.add(objectOr(message)['id']);
        channel.write(greeting);
      }
    }
    first = false;
    open();
    if (forward) forward(message);
    else waiting.push(message);
  });
  const held: LineChannel = {
    ...channel,
    listen(onMessage) {
      forward = onMessage;
      for (const message of waiting.splice(0)) onMessage(message);
    },
  };
  return { held, answered, opened };
}

/** Predicts the server as the gateway will load it; null when that isn't possible yet. */
async function foresee(
  { config }: CommandInput,
  slug: string,
  asked: string | undefined,
): Promise<ServerIntroduction | null> {
  if (!isEmbedded(config)) return null;
  const { hasStore, peekServer } = await import('../../storage/sqlite/peek-server.ts');
  if (hasStore(config.dataDir)) {
    const peeked = await peekServer(config.dataDir, slug, openingFact(slug));
    if (peeked === null) return null;
    const { server, seq, fact } = peeked;
    return predictOpening(server, readOpening(fact), { seq, listBudget: config.listBudget }, asked);
  }
  // A new folder has only the demo tools, if any: few enough to be listed.
  if (slug !== defaultServerSlug || asked === 'search' || asked === 'code') return null;
  return defaultServer({ kind: isPrivateToThisMachine(config) ? 'open' : 'key' });
}

/** The URL of one server behind `--url`, with the requested mode. */
export function serverAddress(url: string, slug: string | undefined, mode: string | undefined): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  if (slug !== undefined) {
    const [, base = '', named] = /^(.*?)(?:\/mcp(?:\/([^/]+))?)?\/?$/.exec(address.pathname)!;
    if (named !== undefined && named !== slug)
      throw new UsageError(
        `--url names the server "${named}" and --server names "${slug}": omit one of them`,
      );
    address.pathname = `${base}/mcp/${slug}`;
  }
  if (mode !== undefined) address.searchParams.set('mode', mode);
  return address.href;
}
