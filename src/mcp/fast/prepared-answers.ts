import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServerView } from '../../registry/snapshot.ts';
import type { McpCore } from '../core/core.ts';
import type { McpRequest } from '../core/request.ts';
import { toolFilterKey } from '../sessions/list-changes.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

/** A method whose answer is the same for everyone who may see it. */
export type PreparedMethod = 'tools/list' | 'server/discover' | 'initialize';

const maxAnswersPerView = 32;
const toolsPerTick = 50;

/**
 * Keeps the answers to list-like requests as bytes that end where the request's ID goes. Each is made once; a changed
 * server is a new view and starts empty.
 */
export function createPreparedAnswers(core: McpCore, stampOf: (request: McpRequest) => string) {
  const views = new WeakCache<ServerView, Map<string, Answer>>();

  function answersOf(view: ServerView): Map<string, Answer> {
    let answers = views.get(view);
    if (!answers) views.set(view, (answers = new Map()));
    return answers;
  }

  async function prepare(method: PreparedMethod, request: McpRequest): Promise<Buffer> {
    const result =
      method === 'tools/list'
        ? await listText(request)
        : JSON.stringify(await core.methods[method]({ protocolVersion: request.revision }, request));
    return Buffer.from(`{"result":${result.slice(0, -1)}${stampOf(request)}},"jsonrpc":"2.0","id":`);
  }

  /** The list of a server, written a few tools at a time, so that a long one doesn't block calls. */
  async function listText(request: McpRequest): Promise<string> {
    const { before, after } = core.ownTools(request);
    const parts = before.map((tool) => JSON.stringify(tool));
    const tools = core.listedTools(request);
    for (let at = 0; at < tools.length; at += toolsPerTick) {
      if (at > 0) await nextTurn();
      for (const tool of core.shownTools(tools.slice(at, at + toolsPerTick), request))
        parts.push(JSON.stringify(tool));
    }
    for (const tool of after) parts.push(JSON.stringify(tool));
    const hints = JSON.stringify(core.cacheHints(request)).slice(1);
    return `{"tools":[${parts.join(',')}]${hints === '}' ? hints : `,${hints}`}`;
  }

  return {
    /** The answer, if it was already made. */
    ready(method: PreparedMethod, request: McpRequest): Buffer | undefined {
      return views.get(request.context.view)?.get(answerKey(method, request))?.bytes;
    },

    /** The answer, made once for all concurrent requests. */
    async make(method: PreparedMethod, request: McpRequest): Promise<Buffer> {
      const answers = answersOf(request.context.view);
      const key = answerKey(method, request);
      const known = answers.get(key);
      if (known) return known.making;
      if (answers.size >= maxAnswersPerView) answers.delete(answers.keys().next().value!);
      const answer: Answer = { making: prepare(method, request) };
      answers.set(key, answer);
      try {
        return (answer.bytes = await answer.making);
      } catch (error) {
        answers.delete(key);
        throw error;
      }
    },
  };
}

/** An answer in the making, and its bytes when done. */
interface Answer {
  readonly making: Promise<Buffer>;
  bytes?: Buffer;
}

function answerKey(
  method: PreparedMethod,
  { context, era, revision, listChanged, dialect }: McpRequest,
): string {
  const { mode = 'direct', caller } = context;
  // Only the cache scope depends on whether the caller is known, and that follows from the server's policy.
  return `${method} ${mode} ${era} ${revision ?? ''} ${listChanged} ${dialect.name} ${toolFilterKey(caller)}`;
}
