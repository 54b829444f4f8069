import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../api/problem.ts';
import { ask, type Question } from './ask.ts';
import { after, begun, type Exchange, leafOf, messagesFor, pathTo } from './exchange.ts';

/** One conversation with its branches. */
export interface Lane {
  readonly exchanges: readonly Exchange[];
  readonly path: readonly Exchange[];
  readonly isRunning: boolean;
  /** Asks at the end of the shown path, or as a branch of an exchange that is retried or edited. */
  readonly ask: (question: string, how: Omit<Question, 'messages'>, branchOf?: Exchange) => void;
  readonly stop: () => void;
  /** Shows a branch up to its newest exchange. */
  readonly show: (id: number) => void;
  /** Continues from an exchange: the next question starts a branch there. */
  readonly branchFrom: (id: number) => void;
  readonly clear: () => void;
}

/** A conversation on a server. It exists only in this page. */
export function useLane(server: string): Lane {
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([]);
  const [leaf, setLeaf] = useState<number | null>(null);
  const stopping = useRef<AbortController | null>(null);
  const count = useRef(0);
  // Leaving the page ends the conversation on the gateway too.
  useEffect(() => () => stopping.current?.abort(), []);
  const path = pathTo(exchanges, leaf);
  const isRunning = exchanges.some(({ state }) => state === 'running');

  const change = (id: number, next: (before: Exchange) => Exchange) =>
    setExchanges((all) => all.map((one) => (one.id === id ? next(one) : one)));

  return {
    exchanges,
    path,
    isRunning,
    ask(question, how, branchOf) {
      if (isRunning) return;
      const before = branchOf === undefined ? path : pathTo(exchanges, branchOf.parentId);
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

/** What the model had said before it was stopped. */
function saidIn({ parts }: Exchange): Exchange['messages'] {
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  return text === '' ? [] : [{ role: 'assistant', text, calls: [] }];
}
