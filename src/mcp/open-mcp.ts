import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { AnswerCall } from '../calls/answer-call.ts';
import type { CallMaker } from '../calls/make-call.ts';
import type { Metrics } from '../calls/metrics.ts';
import type { Config } from '../config/settings.ts';
import { isEmbedded } from '../config/store-location.ts';
import type { OnClose } from '../lib/close-stack.ts';
import type { Siblings } from '../lib/siblings.ts';
import { repeat } from '../lib/timing/repeat.ts';
import type { Registry } from '../registry/registry.ts';
import type { Replies } from '../replies/open-replies.ts';
import type { MetaStore } from '../storage/ports.ts';
import type { Health } from '../upstream/health.ts';
import type { RunCode } from './built-in/run-code.ts';
import type { McpHandlerOptions } from './handler.ts';
import { createMcpHandlerToLoad, type McpHandlerToLoad } from './load-handler.ts';
import type { NativeFeatures } from './native.ts';
import type { Discovery } from './open-discovery.ts';
import { createEndedSessions, type EndedSessions } from './sessions/ended-sessions.ts';
import { createListTimes } from './sessions/list-times.ts';
import { openingFact, type RememberedOpening } from './stdio/greeting.ts';

const listTimesFact = 'mcp_list_times';
const readAllEndedSessionsEveryMs = 3_600_000;
const readNewEndedSessionsEveryMs = 1_000;

/** Opens the MCP surface; its code is loaded at the first request. */
export async function openMcp(options: {
  readonly config: Pick<Config, 'fastLane' | 'listBudget' | 'dataDir' | 'databaseUrl'>;
  readonly meta: MetaStore;
  readonly registry: Registry;
  /** The other processes of this gateway; null if this is the only one. */
  readonly siblings: Siblings | null;
  readonly health: Health;
  /** What people granted, which ends without a change of the registry. */
  readonly granted: { onChange(listener: () => void): () => void };
  readonly metrics: Pick<Metrics, 'watch'>;
  readonly calls: CallMaker;
  readonly answerCall: AnswerCall;
  readonly stepUp: NonNullable<McpHandlerOptions['stepUp']>;
  readonly discovery: Discovery;
  readonly runCode: RunCode;
  readonly replies: Replies;
  /** Tools, prompts and resources implemented in code, by server slug. */
  readonly nativeFeatures?: ((slug: string) => NativeFeatures | undefined) | undefined;
  readonly version: string;
  readonly publicUrl: () => string;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Promise<McpHandlerToLoad> {
  const { config, meta, registry, siblings, health, discovery, log, now, onClose } = options;
  const endedSessions = notifySiblings(
    createEndedSessions(meta, randomBytes(6).toString('base64url'), now),
    siblings,
  );
  await endedSessions.load();
  const onTrouble = (err: unknown) => log.error({ err }, 'ended sessions could not be read');
  onClose(repeat(readAllEndedSessionsEveryMs, endedSessions.load, onTrouble));
  if (!isEmbedded(config) || siblings !== null)
    onClose(repeat(readNewEndedSessionsEveryMs, endedSessions.sync, onTrouble));
  const sessionKey = await meta.setIfAbsent('mcp_session_key', randomBytes(32).toString('base64'));
  const listTimes = createListTimes({
    stored: await meta.get(listTimesFact),
    save: (text) =>
      void meta
        .set(listTimesFact, text)
        .catch((err: unknown) => log.error({ err }, 'list times could not be written')),
    now,
  });
  const mcp = createMcpHandlerToLoad({
    runCode: options.runCode,
    listTimes,
    builtInWatch: discovery.builtInWatch,
    calls: options.calls,
    answerCall: options.answerCall,
    stepUp: options.stepUp,
    modes: discovery.modes,
    search: discovery.search,
    replies: options.replies,
    rememberOpening: rememberOpening(meta, registry, config.listBudget),
    listedView: discovery.listedView,
    fastLane: config.fastLane,
    ...(options.nativeFeatures && { native: options.nativeFeatures }),
    onRegistryChange: (listener) => {
      const stops = [registry, health, options.granted].map((source) => source.onChange(listener));
      return () => stops.forEach((stop) => stop());
    },
    log,
    version: options.version,
    publicUrl: options.publicUrl,
    sessionKey: Buffer.from(sessionKey, 'base64'),
    endedSessions,
    ...(siblings !== null && { siblings }),
    now,
  });
  onClose(() => mcp.close());
  options.metrics.watch({ clients: () => mcp.counts() });
  return mcp;
}

/** Notifies the other processes of this gateway when a session ends. */
function notifySiblings(ended: EndedSessions, siblings: Siblings | null): EndedSessions {
  if (siblings === null) return ended;
  siblings.on('session ended', () => ended.sync());
  return {
    ...ended,
    async add(id, expiresAtMs) {
      await ended.add(id, expiresAtMs);
      siblings.tell('session ended');
    },
  };
}

/** Stores how a server opens a connection, if that changed. */
function rememberOpening(
  meta: MetaStore,
  registry: Registry,
  listBudget: number,
): NonNullable<McpHandlerOptions['rememberOpening']> {
  return async (slug, { mode, searchInstructions }) => {
    const opening: RememberedOpening = { seq: registry.snapshot.seq, listBudget, mode, searchInstructions };
    const text = JSON.stringify(opening);
    if ((await meta.get(openingFact(slug))) !== text) await meta.set(openingFact(slug), text);
  };
}
