import { writeMarked } from '../../lib/json/numbers/exact-numbers.ts';
import { rpcError } from '../answer.ts';
import { hasBatches, maxBatchMessages } from '../batches.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import { maxIdBytes, overlong, isRequestId, type RequestId } from '../request-ids.ts';

/** A list received in one line, which is answered in one line as well. */
interface Batch {
  waiting: number;
  readonly answers: string[];
}

export interface LineRequestsOptions<Message> {
  readonly write: (text: string) => void;
  /** Whether a value is a JSON-RPC message of any kind. */
  readonly isMessage: (value: unknown) => value is Message;
  readonly deliver: (message: Message) => void;
}

/**
 * Tracks the requests of one line-based connection: which are still unanswered, so that the end of the input doesn't
 * cut them off, and which answers belong together.
 */
export function createLineRequests<Message>({ write, isMessage, deliver }: LineRequestsOptions<Message>) {
  const open = new Map<RequestId, Batch | null>();
  let revision: string | undefined;
  let onSettled: (() => void)[] = [];

  const refuse = (id: RequestId | null, why: string) =>
    write(rpcError(id, -32_600, `Invalid Request: ${why}`));

  function learnFrom(result: unknown): void {
    const { protocolVersion } = objectOr(result);
    if (typeof protocolVersion === 'string') revision = protocolVersion;
  }

  function begin(id: unknown, method: unknown, batch: Batch | null): void {
    if (method === undefined || !isRequestId(id)) return;
    // Subscriptions are only answered when the connection ends.
    if (method === 'subscriptions/listen') return;
    open.set(id, batch);
    if (batch) batch.waiting++;
  }

  function settle(id: RequestId, answer: string | null): boolean {
    const batch = open.get(id);
    if (batch === undefined) return false;
    open.delete(id);
    if (batch) {
      if (answer !== null) batch.answers.push(answer);
      if (--batch.waiting === 0 && batch.answers.length > 0) write(`[${batch.answers.join(',')}]`);
    } else if (answer !== null) write(answer);
    if (open.size === 0) for (const resolve of onSettled.splice(0)) resolve();
    return true;
  }

  function take(message: Message, batch: Batch | null): void {
    const { id, method, params } = objectOr(message);
    const { requestId } = objectOr(params);
    if (method === 'notifications/cancelled' && isRequestId(requestId)) {
      deliver(message);
      settle(requestId, null);
      return;
    }
    if (isRequestId(id) && method !== undefined && open.has(id)) {
      refuse(null, 'this request id is already in use');
      return;
    }
    begin(id, method, batch);
    deliver(message);
  }

  function takeBatch(messages: readonly unknown[]): void {
    if (!hasBatches(revision)) refuse(null, `revision ${revision} has no batches; send one message per line`);
    else if (messages.length === 0) refuse(null, 'a batch must have at least one message');
    else if (messages.length > maxBatchMessages)
      refuse(null, `a batch may have at most ${maxBatchMessages} messages`);
    else if (!messages.every(isMessage)) refuse(null, 'a batch contains an invalid message');
    else if (messages.some((message) => objectOr(message)['method'] === 'initialize'))
      refuse(null, 'initialize cannot be part of a batch');
    else {
      const batch: Batch = { waiting: 1, answers: [] };
      for (const message of messages) take(message, batch);
      if (--batch.waiting === 0 && batch.answers.length > 0) write(`[${batch.answers.join(',')}]`);
    }
  }

  return {
    /** Takes what was received in one line. */
    take(value: unknown): void {
      const what = Array.isArray(value) ? value.map(overlong).find(Boolean) : overlong(value);
      if (what) refuse(null, `${what} is longer than ${maxIdBytes} bytes`);
      else if (Array.isArray(value)) takeBatch(value);
      else if (isMessage(value)) take(value, null);
      else if (!isAnswer(value)) {
        const { id } = objectOr(value);
        refuse(isRequestId(id) ? id : null, 'the line is not a JSON-RPC message');
      }
    },

    /** Writes a message of the protocol object, within a batch if it answers one. */
    send(message: object): void {
      const { id, method, result } = objectOr(message);
      learnFrom(result);
      const text = writeMarked(JSON.stringify(message));
      if (method !== undefined || !isRequestId(id) || !settle(id, text)) write(text);
    },

    /** Drops a request that was answered elsewhere, and learns the revision from the answer. */
    answeredBefore(message: object): void {
      const { id, result } = objectOr(message);
      learnFrom(result);
      if (isRequestId(id)) settle(id, null);
    },

    /** Sets the revision of the connection, whatever it negotiated. */
    speaks(spoken: string): void {
      revision = spoken;
    },

    /** Resolves when every request has been answered. */
    settled(): Promise<void> {
      return open.size === 0 ? Promise.resolve() : new Promise((resolve) => onSettled.push(resolve));
    },
  };
}

// Answering an error with an error could go back and forth forever.
function isAnswer(value: unknown): boolean {
  const given = objectOr(value);
  return 'error' in given || 'result' in given;
}
