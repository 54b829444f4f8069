import { onLeave } from '../../app/account/session.tsx';
import { messageOf } from '../../api/problem.ts';
import { createSharedState } from '../../components/shared-state.ts';
import { ask, type Question } from './ask.ts';
import { type Draft, noDraft } from './DraftFields.tsx';
import { after, begun, type Exchange, leafOf, messagesFor, pathTo } from './exchange.ts';

export type Mode = 'direct' | 'search' | 'code';

/** How one side of a conversation is asked. */
export interface Setup {
  readonly mode: Mode | null;
  readonly draft: Draft;
}

/** One side of a conversation: its exchanges with their branches, and the newest one of the branch on screen. */
interface Side {
  readonly setup: Setup;
  readonly exchanges: readonly Exchange[];
  readonly leaf: number | null;
}

/** A conversation with a model that uses a server. The second side is used when two are compared. */
export interface Conversation {
  readonly id: string;
  readonly server: string;
  readonly updatedAtMs: number;
  readonly isTwo: boolean;
  readonly sides: readonly [Side, Side];
  /** The question that is being typed. */
  readonly typed: string;
}

/** One side of a conversation, and what can be done with it. */
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
}

// In this tab's storage: they survive a reload and end with the tab, because they contain what APIs replied.
const storageKey = 'handrail.conversations';
const maxKept = 30;
const maxStoredChars = 2_000_000;
const saveAfterMs = 500;

const kept = createSharedState<readonly Conversation[]>(load());
const running = new Map<string, AbortController>();
let saving: ReturnType<typeof setTimeout> | null = null;

addEventListener('pagehide', save);
onLeave(() => {
  for (const stop of running.values()) stop.abort();
  running.clear();
  kept.set([]);
  save();
});

/** All conversations of this tab that have a question, newest first. */
export function useConversations(): readonly Conversation[] {
  return kept
    .use()
    .filter(isUsed)
    .toSorted((a, b) => b.updatedAtMs - a.updatedAtMs);
}

/** The conversation with this id; otherwise the newest one with the server, or an empty one. */
export function useConversation(server: string, id: string | null): Conversation {
  const all = kept.use().filter((one) => one.server === server);
  return (
    all.find((one) => one.id === id) ??
    (id === 'new' ? undefined : all.toSorted((a, b) => b.updatedAtMs - a.updatedAtMs)[0]) ??
    blankOf(server)
  );
}

/** Changes a conversation; one that was empty is kept from now on. */
export function changeConversation(conversation: Conversation, changes: Partial<Conversation>): void {
  const { id } = conversation;
  const all = kept.read();
  const before = all.find((one) => one.id === id);
  kept.set(
    before === undefined
      ? [...all.slice(-maxKept), { ...conversation, ...changes }]
      : all.map((one) => (one === before ? { ...one, ...changes } : one)),
  );
  blanks.delete(conversation.server);
  saving ??= setTimeout(save, saveAfterMs);
}

/** Stops the answers of a conversation and removes it. */
export function forgetConversation({ id }: Conversation): void {
  for (const at of [0, 1]) running.get(`${id} ${at}`)?.abort();
  kept.set(kept.read().filter((one) => one.id !== id));
  save();
}

/** One side of a conversation. Its answer continues while other pages are open. */
export function laneOf(conversation: Conversation, at: 0 | 1): Lane {
  const { exchanges, leaf } = conversation.sides[at];
  const path = pathTo(exchanges, leaf);
  const isRunning = exchanges.some(({ state }) => state === 'running');
  const name = `${conversation.id} ${at}`;
  const change = (changes: (before: Side) => Partial<Side>) => changeSide(conversation, at, changes);
  return {
    exchanges,
    path,
    isRunning,
    ask(question, how, branchOf) {
      if (isRunning) return;
      const before = branchOf === undefined ? path : pathTo(exchanges, branchOf.parentId);
      const id = Math.max(0, ...exchanges.map((one) => one.id)) + 1;
      change((side) => ({
        exchanges: [...side.exchanges, begun(id, before.at(-1)?.id ?? null, question)],
        leaf: id,
      }));
      const stop = new AbortController();
      running.set(name, stop);
      const started = performance.now();
      const changeOne = (next: (before: Exchange) => Exchange) =>
        change((side) => ({ exchanges: side.exchanges.map((one) => (one.id === id ? next(one) : one)) }));
      const ended = (reason: string, error: string | null) =>
        changeOne((one) => endedEarly(one, reason, error, performance.now() - started));
      ask(
        conversation.server,
        { ...how, messages: messagesFor(before, question) },
        (event, data) => changeOne((one) => after(one, event, data)),
        stop.signal,
      )
        .then(
          () => ended('failed', null),
          (error: unknown) =>
            stop.signal.aborted ? ended('stopped', null) : ended('failed', messageOf(error)),
        )
        .finally(() => running.delete(name));
    },
    stop: () => running.get(name)?.abort(),
    show: (id) => change((side) => ({ leaf: leafOf(side.exchanges, id) })),
    branchFrom: (id) => change(() => ({ leaf: id })),
  };
}

/** Changes how one side is asked, or what it contains. */
export function changeSide(
  { id, server }: Conversation,
  at: 0 | 1,
  changes: (before: Side) => Partial<Side>,
): void {
  const current = kept.read().find((one) => one.id === id) ?? blanks.get(server);
  // It may have been deleted while its answer was still arriving.
  if (current === undefined || current.id !== id) return;
  const [left, right] = current.sides;
  const changed = { ...current.sides[at], ...changes(current.sides[at]) };
  changeConversation(current, {
    sides: at === 0 ? [changed, right] : [left, changed],
    updatedAtMs: Date.now(),
  });
}

const isUsed = ({ sides }: Conversation): boolean => sides.some(({ exchanges }) => exchanges.length > 0);

/** The question a conversation began with. */
export function titleOf({ sides }: Conversation): string {
  return sides.flatMap(({ exchanges }) => exchanges)[0]?.question ?? '';
}

// The empty conversation of each server: created when it is first shown, kept once something is typed or asked.
const blanks = new Map<string, Conversation>();

function blankOf(server: string): Conversation {
  const typed = kept.read().find((one) => one.server === server && !isUsed(one));
  if (typed !== undefined) return typed;
  const side: Side = { setup: { mode: null, draft: noDraft }, exchanges: [], leaf: null };
  const blank = blanks.get(server) ?? {
    id: Math.random().toString(36).slice(2),
    server,
    updatedAtMs: 0,
    isTwo: false,
    sides: [side, { ...side, setup: { mode: 'code', draft: noDraft } }],
    typed: '',
  };
  blanks.set(server, blank);
  return blank;
}

function endedEarly(one: Exchange, reason: string, error: string | null, durationMs: number): Exchange {
  if (one.state === 'ended') return one;
  // What the model had said before.
  const text = one.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  return {
    ...one,
    state: 'ended',
    reason,
    error: one.error ?? error,
    durationMs,
    messages: text === '' ? [] : [{ role: 'assistant', text, calls: [] }],
  };
}

function save(): void {
  if (saving !== null) clearTimeout(saving);
  saving = null;
  const newest = kept
    .read()
    .filter(isUsed)
    .toSorted((a, b) => b.updatedAtMs - a.updatedAtMs);
  const texts: string[] = [];
  let chars = 0;
  for (const one of newest) {
    const text = JSON.stringify(one);
    chars += text.length;
    if (chars > maxStoredChars) break;
    texts.push(text);
  }
  try {
    if (texts.length === 0) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, `[${texts.join(',')}]`);
  } catch {
    // If storage is full or disabled, they last as long as the page.
  }
}

function load(): readonly Conversation[] {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]') as readonly Conversation[];
    return stored.map((one) => ({
      ...one,
      sides: [withoutRunning(one.sides[0]), withoutRunning(one.sides[1])],
    }));
  } catch {
    return [];
  }
}

// The connection of a running answer ended with the page.
function withoutRunning(side: Side): Side {
  return {
    ...side,
    exchanges: side.exchanges.map((one) => endedEarly(one, 'reloaded', null, one.durationMs)),
  };
}
