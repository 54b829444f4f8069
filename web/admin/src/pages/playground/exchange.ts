import type { ChatMessage } from '../../api/resources.ts';

/** A call made on behalf of a model, with its timing. */
export interface Trace {
  readonly callId: string;
  readonly tool: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestLine: string | null;
  readonly steps: readonly { name: string; startMs: number; durationMs: number; note?: string }[];
}

/** The result of a call that a model made. */
export interface CallResult {
  readonly ok: boolean;
  readonly text: string;
  readonly shown: string;
  readonly durationMs: number;
  readonly tokens: number;
  readonly calls: readonly Trace[];
}

/** The parts of an answer, in order. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly result: CallResult | null;
    };

/** A question and a model's answer. */
export interface Exchange {
  readonly id: number;
  /** The exchange it follows. */
  readonly parentId: number | null;
  readonly question: string;
  readonly parts: readonly Part[];
  readonly state: 'running' | 'ended';
  /** Why it ended; empty while running. */
  readonly reason: string;
  readonly error: string | null;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly isEstimated: boolean;
  readonly cost: number | null;
  readonly turns: number;
  readonly durationMs: number;
  readonly version: string;
  readonly mode: string;
  readonly runId: string;
  /** The messages to send back with the next question. */
  readonly messages: readonly ChatMessage[];
}

/** A new exchange. */
export function begun(id: number, parentId: number | null, question: string): Exchange {
  return {
    id,
    parentId,
    question,
    parts: [],
    state: 'running',
    reason: '',
    error: null,
    tokens: { input: 0, output: 0 },
    isEstimated: false,
    cost: null,
    turns: 0,
    durationMs: 0,
    version: '',
    mode: '',
    runId: '',
    messages: [],
  };
}

/** The exchange after an event of the gateway's stream; `data` is the event's payload. */
export function after(exchange: Exchange, name: string, data: never): Exchange {
  switch (name) {
    case 'begin': {
      const { version, mode, runId } = data as Pick<Exchange, 'version' | 'mode' | 'runId'>;
      return { ...exchange, version, mode, runId };
    }
    case 'turn':
      return {
        ...exchange,
        turns: exchange.turns + 1,
        parts: [...exchange.parts, { kind: 'text', text: '' }],
      };
    case 'text':
      return { ...exchange, parts: withText(exchange.parts, (data as { text: string }).text) };
    case 'call': {
      const { id, name: tool, arguments: args } = data as { id: string; name: string; arguments: string };
      const call = { kind: 'call' as const, id, name: tool, arguments: args, result: null };
      return { ...exchange, parts: [...exchange.parts, call] };
    }
    case 'called': {
      const { id, ...result } = data as CallResult & { id: string };
      const parts = exchange.parts.map((part) =>
        part.kind === 'call' && part.id === id && part.result === null ? { ...part, result } : part,
      );
      return { ...exchange, parts };
    }
    case 'usage': {
      const { tokens, cost, isEstimated } = data as Pick<Exchange, 'tokens' | 'cost' | 'isEstimated'>;
      return {
        ...exchange,
        tokens: {
          input: exchange.tokens.input + tokens.input,
          output: exchange.tokens.output + tokens.output,
        },
        isEstimated: exchange.isEstimated || isEstimated,
        cost: cost === null ? exchange.cost : (exchange.cost ?? 0) + cost,
      };
    }
    case 'error':
      return { ...exchange, error: (data as { message: string }).message };
    case 'end': {
      const { reason, durationMs, messages } = data as Pick<Exchange, 'reason' | 'durationMs' | 'messages'>;
      return { ...exchange, state: 'ended', reason, durationMs, messages };
    }
    default:
      return exchange;
  }
}

function withText(parts: readonly Part[], text: string): Part[] {
  const last = parts.at(-1);
  if (last?.kind === 'text') return [...parts.slice(0, -1), { kind: 'text', text: last.text + text }];
  return [...parts, { kind: 'text', text }];
}

/** The exchanges from the first question to this one. */
export function pathTo(exchanges: readonly Exchange[], id: number | null): Exchange[] {
  const path: Exchange[] = [];
  let at = exchanges.find((one) => one.id === id);
  while (at !== undefined) {
    path.unshift(at);
    const { parentId } = at;
    at = parentId === null ? undefined : exchanges.find((one) => one.id === parentId);
  }
  return path;
}

/** All branches at this exchange's position, including itself. */
export function branchesOf(exchanges: readonly Exchange[], { parentId }: Exchange): Exchange[] {
  return exchanges.filter((one) => one.parentId === parentId);
}

/** The newest exchange that follows from an exchange. */
export function leafOf(exchanges: readonly Exchange[], id: number): number {
  const next = exchanges.findLast((one) => one.parentId === id);
  return next === undefined ? id : leafOf(exchanges, next.id);
}

/** The messages of a path, to send with the next question. */
export function messagesFor(path: readonly Exchange[], question: string): ChatMessage[] {
  return [
    ...path.flatMap(({ question: asked, messages }): ChatMessage[] => [
      { role: 'user', text: asked },
      ...messages,
    ]),
    { role: 'user', text: question },
  ];
}

/** How many calls the model made, whatever they led to: the number behind every "calls" of an answer. */
export function callCount({ parts }: Exchange): number {
  return parts.filter((part) => part.kind === 'call').length;
}

/** What a check is filled with before someone edits it. */
export interface CheckDraft {
  readonly question: string;
  readonly mode?: string;
  /** As the field for calls shows them. */
  readonly calls: readonly string[];
  readonly usedTokens: number;
}

/** A check of a question that was asked in the playground. */
export const checkDraftOf = (exchange: Exchange): CheckDraft => ({
  question: exchange.question,
  mode: exchange.mode,
  calls: expectedCalls(exchange),
  usedTokens: exchange.tokens.input + exchange.tokens.output,
});

/** The calls of an answer, as a check expects them: `tool {"argument": …}`, each once. Calls of scripts have no arguments. */
export function expectedCalls({ parts }: Exchange): string[] {
  const lines = parts.flatMap((part) => {
    if (part.kind !== 'call') return [];
    const made = (part.result?.calls ?? []).map(({ tool }) => tool);
    const [only] = made;
    if (made.length !== 1 || part.name === 'run_code') return made.filter((tool) => tool !== 'run_code');
    const sent = objectIn(part.arguments);
    // In search mode the model calls call_read and others, with the tool's arguments inside.
    const given = part.name === only ? sent : objectIn(sent?.['arguments']);
    const hasArguments = given !== null && Object.keys(given).length > 0;
    return [hasArguments ? `${only} ${JSON.stringify(given)}` : only!];
  });
  return [...new Set(lines)];
}

function objectIn(value: unknown): Record<string, unknown> | null {
  try {
    const read: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...read } : null;
  } catch {
    return null;
  }
}
