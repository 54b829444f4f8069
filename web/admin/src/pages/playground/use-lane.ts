import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../api/problem.ts';
import { ask, type Question } from './ask.ts';
import { after, begun, type Exchange, leafOf, messagesFor, pathTo } from './exchange.ts';

/** One conversation with its branches, and how to go on with it. */
export interface Lane {
  readonly exchanges: readonly Exchange[];
  readonly path: readonly Exchange[];
  readonly isRunning: boolean;
  /** Asks; from the end of what is shown, or beside an exchange that is asked again or edited. */
  readonly ask: (question: string, how: Omit<Question, 'messages'>, beside?: Exchange) => void;
  readonly stop: () => void;
  /** Shows a branch, to its newest end. */
  readonly show: (id: number) => void;
  /** Goes on from an exchange: the next question begins a branch there. */
  readonly branchFrom: (id: number) => void;
  readonly clear: () => void;
}

/** A conversation on a server. What was said lives in this page only. */
export function useLane(server: string): Lane {
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([]);
  const [leaf, setLeaf] = useState<number | null>(null);
  const stopping = useRef<AbortController | null>(null);
  const count = useRef(0);
  // Whoever leaves does not wait any more; on the gateway that ends the conversation.
  useEffect(() => () => stopping.current?.abort(), []);
  const path = pathTo(exchanges, leaf);
  const isRunning = exchanges.some(({ state }) => state === 'running');

  const change = (id: number, next: (before: Exchange) => Exchange) =>
    setExchanges((all) => all.map((one) => (one.id === id ? next(one) : one)));

  return {
    exchanges,
    path,
    isRunning,
    ask(question, how, beside) {
      if (isRunning) return;
      const before = beside === undefined ? path : pathTo(exchanges, beside.parentId);
      const id = ++count.current;
      setExchanges((all) => [...all, begun(id, before.at(-1)?.id ?? null, question)]);
      setLeaf(id);
      const stop = (stopping.current = new AbortController());
      const started = performance.now();
      const onEvent = (name: string, data: never) => change(id, (one) => after(one, name, data));
      const ended = (reason: string, error: string | null) =>
        change(id, (one) =>
          one.state === 'ended'
            ? one
            : {
                ...one,
                state: 'ended',
                reason,
                error: one.error ?? error,
                durationMs: performance.now() - started,
                messages: saidIn(one),
              },
        );
      ask(server, { ...how, messages: messagesFor(before, question) }, onEvent, stop.signal).then(
        () => ended('failed', null),
        (error: unknown) =>
          stop.signal.aborted ? ended('stopped', null) : ended('failed', messageOf(error)),
      );
    },
    stop: () => stopping.current?.abort(),
    show: (id) => setLeaf(leafOf(exchanges, id)),
    branchFrom: (id) => setLeaf(id),
    clear() {
      stopping.current?.abort();
      setExchanges([]);
      setLeaf(null);
    },
  };
}

/** What a model had said before it was stopped. */
function saidIn({ parts }: Exchange): Exchange['messages'] {
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  return text === '' ? [] : [{ role: 'assistant', text, calls: [] }];
}
