import { createHash } from 'node:crypto';
import { isObject } from '../../lib/json/plain-object.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { ChangedLists } from './list-changes.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

const lists = ['tools', 'prompts', 'resources'] as const;
type ListName = (typeof lists)[number];

/** The fingerprint of a list when it was last checked, and when it changed to that; 0 if unknown. */
interface Known {
  readonly print: string;
  readonly atMs: number;
}
type KnownLists = Readonly<Record<ListName, Known>>;

/**
 * When the lists of servers last changed, for clients that reconnect after a restart or to another instance and may
 * have missed a change. What they last listed is unknown, but whether anything changed since is known.
 */
export interface ListTimes {
  /** The lists of a server that changed at that time or later. */
  changedSince(view: ServerView, sinceMs: number): ChangedLists;
  /** Checks a server that has listeners, so that the time of a change is recorded. */
  note(view: ServerView): void;
}

/** `stored` is what any process last passed to `save`; unreadable text counts as none. */
export function createListTimes(options: {
  readonly stored: string | null;
  readonly save: (text: string) => void;
  readonly now: () => number;
}): ListTimes {
  const { save, now } = options;
  const known = readStored(options.stored);

  function note(view: ServerView): KnownLists {
    const prints = printsOf(view);
    const { id } = view.server;
    const before = known.get(id);
    if (before !== undefined && lists.every((list) => before[list].print === prints[list])) return before;
    const nowMs = now();
    const entry = (list: ListName): Known =>
      before?.[list].print === prints[list]
        ? before[list]
        : { print: prints[list], atMs: before === undefined ? 0 : nowMs };
    const after = { tools: entry('tools'), prompts: entry('prompts'), resources: entry('resources') };
    known.set(id, after);
    save(JSON.stringify(Object.fromEntries(known)));
    return after;
  }

  return {
    note: (view) => void note(view),
    changedSince(view, sinceMs) {
      const { tools, prompts, resources } = note(view);
      return {
        ...(tools.atMs >= sinceMs && { tools: true }),
        ...(prompts.atMs >= sinceMs && { prompts: true }),
        ...(resources.atMs >= sinceMs && { resources: true }),
      };
    },
  };
}

const kept = new WeakCache<ServerView, Readonly<Record<ListName, string>>>();

/** The same in every process that serves the same lists. */
function printsOf(view: ServerView): Readonly<Record<ListName, string>> {
  let prints = kept.get(view);
  if (prints === undefined) {
    const { dialect, mode, clientModes, listOutputSchemas, pageSize, prompts, resources } = view.server;
    const tools = view.tools.map(
      ({ name, description, compiled: { tool, api } }) =>
        `${name}\n${tool.id} ${tool.revision} ${api.revision}\n${description}`,
    );
    prints = {
      tools: printOf([dialect, mode, clientModes, listOutputSchemas, pageSize, tools]),
      prompts: printOf(prompts),
      resources: printOf(resources),
    };
    kept.set(view, prints);
  }
  return prints;
}

function printOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url')
    .slice(0, 16);
}

function readStored(text: string | null): Map<string, KnownLists> {
  const known = new Map<string, KnownLists>();
  let stored: unknown = null;
  try {
    stored = JSON.parse(text ?? '{}');
  } catch {
    return known;
  }
  if (!isObject(stored)) return known;
  for (const [id, entry] of Object.entries(stored)) {
    if (!isObject(entry)) continue;
    const [tools, prompts, resources] = lists.map((list) => readKnown(entry[list]));
    if (tools && prompts && resources) known.set(id, { tools, prompts, resources });
  }
  return known;
}

function readKnown(entry: unknown): Known | null {
  if (!isObject(entry)) return null;
  const { print, atMs } = entry;
  return typeof print === 'string' && typeof atMs === 'number' ? { print, atMs } : null;
}
