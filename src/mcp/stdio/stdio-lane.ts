import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server';
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '../../domain/call.ts';
import type { ListMode } from '../../domain/server.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import { modernRevision } from '../context.ts';
import { chooseDialect } from '../dialects/dialects.ts';
import type { LineChannel } from './line-channel.ts';
import { createLineRequests } from './line-requests.ts';
import { compareViews } from '../sessions/list-changes.ts';
import type { ChangedLists, CallerView } from '../sessions/list-changes.ts';
import { buildServer } from '../sdk/sdk-server.ts';
import type { McpDependencies } from '../sdk/sdk-server.ts';

/** What one connection over stdio serves. */
export interface StdioConnection {
  readonly channel: LineChannel;
  readonly caller: Caller;
  readonly slug: string;
  /** The current server, read for every request, since a connection outlives changes. */
  readonly currentView: () => ServerView;
  /** The current mode, and as much of it as is known without waiting. */
  readonly currentMode: () => ListMode | Promise<ListMode>;
  readonly knownMode: () => ListMode | undefined;
  /** IDs of requests that were answered before this lane took over; its own answers to them are dropped. */
  readonly answered: ReadonlySet<unknown>;
}

/** Serves one connection over stdio, in whichever era its client uses. */
export function createStdioLane(dependencies: McpDependencies, connection: StdioConnection) {
  const { channel, caller, currentView, currentMode, knownMode } = connection;
  const answered = new Set(connection.answered);
  const instances = new Set<Server>();

  const requests = createLineRequests({
    write: channel.write,
    isMessage,
    deliver: (message) => transport.onmessage?.(message),
  });
  const transport: Transport = {
    async start() {
      channel.listen((message) => requests.take(message));
    },
    async send(message) {
      const { id, method } = message as { id?: unknown; method?: unknown };
      if (method === undefined && answered.delete(id)) requests.answeredBefore(message);
      else requests.send(message);
    },
    async close() {
      transport.onclose?.();
    },
  };

  const handle = serveStdio(
    ({ era }) => {
      if (era === 'modern') requests.speaks(modernRevision);
      const server: Server = buildServer(dependencies, {
        context: {
          get view() {
            return currentView();
          },
          get mode() {
            return knownMode();
          },
          caller,
        },
        era,
        side: { client: null, surface: 'stdio', headers: null },
        listChanged: true,
        currentMode,
        dialect: (client) => chooseDialect(undefined, currentView().server.dialect, client?.name),
      });
      instances.add(server);
      return server;
    },
    { transport, onerror: (err) => dependencies.log.debug({ err }, 'stdio reported an error') },
  );

  let seen: CallerView = { view: currentView(), caller, mode: knownMode() };

  function announce(change: ChangedLists): void {
    for (const server of instances) {
      if (!server.transport) continue;
      const offered = server.getCapabilities();
      const sent: Promise<void>[] = [];
      if (change.tools) sent.push(server.sendToolListChanged());
      if (change.prompts && offered.prompts) sent.push(server.sendPromptListChanged());
      if (change.resources && offered.resources) sent.push(server.sendResourceListChanged());
      for (const one of sent) one.catch(() => {});
    }
  }

  return {
    slug: connection.slug,
    /** Notifies the client of a change. */
    announce,
    /** Notifies the client of what changed in the registry since the last notification. */
    refresh(): void {
      const seenNow = { view: currentView(), caller, mode: knownMode() };
      announce(compareViews(seen, seenNow));
      seen = seenNow;
    },
    /** Resolves when every request has been answered. */
    settled: () => requests.settled(),
    close: () => handle.close(),
  };
}

export type StdioLane = ReturnType<typeof createStdioLane>;

function isMessage(value: unknown): value is JSONRPCMessage {
  return (
    isJSONRPCRequest(value) ||
    isJSONRPCNotification(value) ||
    isJSONRPCResultResponse(value) ||
    isJSONRPCErrorResponse(value)
  );
}
