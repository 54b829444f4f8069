import { createHmac } from 'node:crypto';
import { open } from 'node:fs/promises';
import { sentFact } from '../domain/audit.ts';
import { callsErrors } from '../domain/error-messages/calls.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { repeat } from '../lib/timing/repeat.ts';
import { viewAudit } from '../registry/view-audit.ts';
import type { ClaimWork } from '../storage/claim-work.ts';
import type { AuditLine, AuditStore, MetaStore } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';

/** Where lines of the audit log are sent. */
export interface AuditTarget {
  readonly name: 'webhook' | 'file';
  /** Resolves once they arrived. */
  send(lines: readonly string[]): Promise<void>;
}

/** What is known about one target. */
export interface AuditTargetCounts {
  readonly target: string;
  readonly sent: number;
  readonly failures: number;
  readonly waiting: number;
}

/** Sends each line of the audit log to every target, at least once and in order. */
export interface AuditPush {
  readonly counts: readonly AuditTargetCounts[];
  /** Begins to send; only in a gateway that serves. */
  start(): void;
  /** The newest line that every target has; undefined without targets. */
  sentUpTo(): Promise<number | undefined>;
}

const lookEveryMs = 1_000;
const maxLines = 100;
const maxBatchLength = 512 * 1024;
const maxPauseMs = 5 * 60_000;
const claimMs = 60_000;

/**
 * Creates the push of one process. The audit log itself is the queue, and a number in the store says how far each target
 * has it: nothing is lost when a process ends, and a batch that was sent when it ended is sent again.
 */
export function createAuditPush(options: {
  readonly targets: readonly AuditTarget[];
  readonly audit: Pick<AuditStore, 'chain' | 'linesAfter'>;
  readonly meta: Pick<MetaStore, 'get' | 'set'>;
  readonly claimWork: ClaimWork;
  readonly onTrouble: (error: unknown, target: string) => void;
  readonly onClose: OnClose;
  readonly now: () => number;
}): AuditPush {
  const { audit, meta, claimWork, onTrouble, onClose, now } = options;
  const states = options.targets.map((target) => ({
    target,
    sent: 0,
    failures: 0,
    waiting: 0,
    inRow: 0,
    nextAtMs: 0,
    underWay: Promise.resolve(),
    isUnderWay: false,
  }));
  const closing = new AbortController();

  const placeOf = async ({ name }: AuditTarget): Promise<number> =>
    Number((await meta.get(sentFact(name))) ?? 0);

  async function pushTo(state: (typeof states)[number]): Promise<void> {
    const { target } = state;
    const { last, removed } = await audit.chain();
    let place = Math.max(removed.seq, await placeOf(target));
    const isOurs = place < last.seq && (await claimWork(`audit-${target.name}`, claimMs));
    // Counted by the process that sends them.
    state.waiting = isOurs ? last.seq - place : 0;
    if (!isOurs) return;
    while (!closing.signal.aborted) {
      const batch = batchOf(await audit.linesAfter(place, maxLines));
      if (batch.lines.length === 0) return;
      await target.send(batch.lines);
      await meta.set(sentFact(target.name), String(batch.upTo));
      place = batch.upTo;
      state.sent += batch.lines.length;
      state.waiting = Math.max(0, state.waiting - batch.lines.length);
      state.inRow = 0;
      if (!(await claimWork(`audit-${target.name}`, claimMs))) return;
    }
  }

  function tick(): void {
    for (const state of states) {
      if (state.isUnderWay || state.nextAtMs > now()) continue;
      state.isUnderWay = true;
      state.underWay = pushTo(state)
        .catch((error: unknown) => {
          state.failures++;
          state.nextAtMs = now() + Math.min(maxPauseMs, 1_000 * 2 ** Math.min(state.inRow++, 20));
          onTrouble(error, state.target.name);
        })
        .finally(() => (state.isUnderWay = false));
    }
  }

  return {
    get counts() {
      return states.map(({ target, sent, failures, waiting }) => ({
        target: target.name,
        sent,
        failures,
        waiting,
      }));
    },
    start() {
      if (states.length === 0) return;
      const stop = repeat(
        lookEveryMs,
        async () => tick(),
        () => {},
      );
      onClose(async () => {
        stop();
        closing.abort();
        await Promise.all(states.map(({ underWay }) => underWay));
      });
    },
    async sentUpTo() {
      if (states.length === 0) return undefined;
      return Math.min(...(await Promise.all(states.map(({ target }) => placeOf(target)))));
    },
  };
}

/** As many lines as one batch takes, and at least one. */
function batchOf(found: readonly AuditLine[]): { readonly lines: readonly string[]; readonly upTo: number } {
  const lines: string[] = [];
  let length = 0;
  let upTo = 0;
  for (const line of found) {
    const { seq, hash } = line;
    const text = JSON.stringify({ seq, hash, ...viewAudit(line) });
    length += text.length;
    if (lines.length > 0 && length > maxBatchLength) break;
    lines.push(text);
    upTo = seq;
  }
  return { lines, upTo };
}

/** A webhook that takes batches as JSON and answers with a 2xx status; a signature proves who sent them. */
export function webhookTarget(options: {
  readonly url: string;
  readonly secret: string | undefined;
  readonly fetch: FetchGuarded;
  readonly now: () => number;
}): AuditTarget {
  const { url, secret, fetch, now } = options;
  return {
    name: 'webhook',
    async send(lines) {
      const content = `{"entries":[${lines.join(',')}]}`;
      const reply = await fetch({
        url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(secret !== undefined && { 'handrail-signature': signatureOf(content, secret, now()) }),
        },
        body: { contentType: 'application/json', content },
        maxReplyBytes: 64 * 1024,
        timeoutMs: 10_000,
      });
      if (reply.status < 200 || reply.status >= 300)
        throw callsErrors.auditWebhookRefused({ status: reply.status });
    },
  };
}

function signatureOf(content: string, secret: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1_000);
  const mac = createHmac('sha256', secret).update(`${seconds}.${content}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}

const newline = 0x0a;

/** A file that gets a line of JSON for each. It is opened for each batch, so that it can be rotated. */
export function fileTarget(path: string): AuditTarget {
  return {
    name: 'file',
    async send(lines) {
      const file = await open(path, 'a+', 0o600);
      try {
        const { size } = await file.stat();
        // A line that was cut off when the machine stopped doesn't take the next one with it.
        const { buffer } = size === 0 ? { buffer: null } : await file.read(Buffer.alloc(1), 0, 1, size - 1);
        const separator = buffer === null || buffer[0] === newline ? '' : '\n';
        await file.appendFile(`${separator}${lines.join('\n')}\n`);
        await file.datasync();
      } finally {
        await file.close();
      }
    },
  };
}
