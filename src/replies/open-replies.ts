import type { Logger } from 'pino';
import type { MemoryBudget } from '../lib/memory/memory-budget.ts';
import type { Config } from '../config/settings.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { repeat } from '../lib/timing/repeat.ts';
import type { TokenCounter } from '../listing/tokens/token-counter.ts';
import type { KeptReplyStore } from '../storage/ports.ts';
import type { CallFiles } from '../pipeline/call.ts';
import { createCallFiles } from './files/call-files.ts';
import { createFileLinks, type FileLinks } from './files/file-links.ts';
import { createKeptReplies, type KeptReplies } from './kept-replies.ts';
import { createRecentTexts, type RecentTexts } from './recent-texts.ts';
import { createReplyBudget, type ReplyBudget } from './reply-budget.ts';

/** What happened to replies since the process started, and what is kept now. */
export interface ReplyCounts {
  readonly cut: number;
  readonly tokensSaved: number;
  readonly kept: number;
  readonly keptBytes: number;
}

/** Fits long replies to what a model may read, and keeps the rest. */
export interface Replies {
  readonly budget: ReplyBudget;
  readonly kept: KeptReplies;
  /** Recent selections from kept replies. */
  readonly recent: RecentTexts;
  readonly links: FileLinks;
  readonly files: CallFiles;
  readonly counts: () => ReplyCounts;
}

const sweepEveryMs = 60_000;
const maxMsWithoutRecords = 600_000;
const recentBytes = 64 * 1024 * 1024;

/** Opens the kept replies, and removes expired ones periodically. */
export function openReplies(options: {
  readonly config: Pick<
    Config,
    'replyMaxTokens' | 'handleSeconds' | 'handleMaxBytes' | 'maxFileBytes' | 'fileLinkSeconds'
  >;
  readonly store: KeptReplyStore;
  readonly memory: MemoryBudget;
  readonly counter: Pick<TokenCounter, 'count'>;
  /** Whether the content of calls may be stored for long. */
  readonly keepsContents: () => boolean;
  /** The key that file links are signed with: the same for all processes that share the store. */
  readonly linkKey: Buffer;
  /** Where clients reach this gateway; null if they can't. */
  readonly base: () => string | null;
  readonly fetchFile: Parameters<typeof createCallFiles>[0]['fetchFile'];
  readonly serves: Parameters<typeof createCallFiles>[0]['serves'];
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Replies {
  const { config, store, counter, log, now, onClose } = options;
  const lifeMs = config.handleSeconds * 1_000;
  const kept = createKeptReplies({
    store,
    // An operator who records no contents doesn't want any to be stored.
    lifeMs: () => (options.keepsContents() ? lifeMs : Math.min(lifeMs, maxMsWithoutRecords)),
    maxBytes: config.handleMaxBytes,
    maxFileBytes: config.maxFileBytes,
    memory: options.memory,
    now,
  });
  const recent = createRecentTexts(recentBytes, now);
  const links = createFileLinks({
    key: options.linkKey,
    lifeMs: config.fileLinkSeconds * 1_000,
    base: options.base,
    now,
  });
  const { fetchFile, serves } = options;
  const files = createCallFiles({ kept, links, maxBytes: config.maxFileBytes, fetchFile, serves });
  let cut = 0;
  let tokensSaved = 0;
  const budget = createReplyBudget({
    kept,
    links,
    counter,
    maxTokens: config.replyMaxTokens,
    log,
    onCut(before, after) {
      cut++;
      tokensSaved += Math.max(0, before - after);
    },
  });
  const sweep = (): Promise<void> => {
    recent.sweep();
    return kept.sweep();
  };
  onClose(repeat(sweepEveryMs, sweep, (err) => log.error({ err }, 'expired replies could not be removed')));
  return {
    budget,
    kept,
    recent,
    links,
    files,
    counts: () => {
      const { count, bytes } = kept.usage();
      return { cut, tokensSaved, kept: count, keptBytes: bytes };
    },
  };
}
