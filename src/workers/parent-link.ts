import type { Socket } from 'node:net';
import type { BudgetAnswer } from '../budgets/ledger.ts';
import type { BudgetCoordinator } from '../budgets/shared-budgets.ts';
import type { CallRecord } from '../domain/call.ts';
import type { Siblings } from '../lib/siblings.ts';
import type { ToParent, ToWorker, WorkerOrder } from './messages.ts';

/** The connection between a worker and its parent process. */
export interface ParentLink {
  readonly budgets: BudgetCoordinator;
  readonly siblings: Siblings;
  /** Sets the handler for commands to the worker itself. */
  on(handle: (order: WorkerOrder, connection: Socket | undefined) => void): void;
  onLost(handle: (calls: readonly CallRecord[]) => void): void;
  tell(message: ToParent): void;
  /** Returns a connection, for another worker. */
  giveBack(connection: Socket): void;
  /** Resolves once all messages have been sent. */
  flushed(): Promise<void>;
}

const answerTimeoutMs = 1_000;

/** Opens the link of this process, which must have been started as a worker. */
export function openParentLink(): ParentLink {
  const waiting = new Map<number, { resolve(value: unknown): void; timer: NodeJS.Timeout }>();
  const handlers = new Map<string, (body: unknown) => unknown>();
  let lastId = 0;
  let members = 1;
  let handle: (order: WorkerOrder, connection: Socket | undefined) => void = () => {};
  let handleLost: (calls: readonly CallRecord[]) => void = () => {};
  let unsent = Promise.resolve();

  function send(message: ToParent, connection?: Socket): void {
    const sent = new Promise<void>((resolve) => {
      // Errors are ignored: if the parent is gone, `disconnect` reports it.
      process.send!(message, connection, undefined, () => {
        // Either sent, or of no use without a parent.
        connection?.destroy();
        resolve();
      });
    });
    unsent = unsent.then(() => sent);
  }

  function tell(message: ToParent): void {
    if (process.connected) send(message);
  }

  function giveBack(connection: Socket): void {
    if (process.connected) send({ type: 'connection' }, connection);
    else connection.destroy();
  }

  function request(make: (id: number) => ToParent): Promise<unknown> {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error('the parent process did not respond'));
      }, answerTimeoutMs);
      waiting.set(id, { resolve, timer });
      tell(make(id));
    });
  }

  function answered(id: number, value: unknown): void {
    const one = waiting.get(id);
    if (one === undefined) return;
    waiting.delete(id);
    clearTimeout(one.timer);
    one.resolve(value);
  }

  async function reply(id: number, kind: string, body: unknown): Promise<void> {
    tell({ type: 'reply', id, body: (await handlers.get(kind)?.(body)) ?? null });
  }

  process.on('message', (message: ToWorker, connection: Socket | undefined) => {
    switch (message.type) {
      case 'members':
        members = message.count;
        return;
      case 'budgets':
        return answered(message.id, message.answers);
      case 'heard':
        return answered(message.id, message.replies);
      case 'told':
        void handlers.get(message.kind)?.(message.body);
        return;
      case 'asked':
        reply(message.id, message.kind, message.body).catch(() => {
          // The asker continues without this reply.
          tell({ type: 'reply', id: message.id, body: null });
        });
        return;
      case 'lost':
        return handleLost(message.calls);
      default:
        return handle(message, connection);
    }
  });

  return {
    budgets: {
      members: () => members,
      async ask(asks) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the same version of this program
        return (await request((id) => ({ type: 'budgets', id, asks }))) as readonly BudgetAnswer[];
      },
    },
    siblings: {
      tell: (kind, body = null) => tell({ type: 'tell', kind, body }),
      async ask(kind, body = null) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parent replies with a list
        return (await request((id) => ({ type: 'ask', id, kind, body })).catch(
          () => [],
        )) as readonly unknown[];
      },
      on: (kind, each) => void handlers.set(kind, each),
    },
    on: (each) => void (handle = each),
    onLost: (each) => void (handleLost = each),
    tell,
    giveBack,
    flushed: () => unsent,
  };
}
