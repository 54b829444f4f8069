import type { Socket } from 'node:net';
import type { BudgetAnswer } from '../budgets/ledger.ts';
import type { BudgetCoordinator } from '../budgets/shared-budgets.ts';
import type { CallRecord } from '../domain/call.ts';
import type { Siblings } from '../lib/siblings.ts';
import type { ToParent, ToWorker, WorkerOrder } from './messages.ts';

/** How a worker and the process that started it talk. */
export interface ParentLink {
  readonly budgets: BudgetCoordinator;
  readonly siblings: Siblings;
  /** Hears what only the worker itself can do. */
  on(hear: (order: WorkerOrder, connection: Socket | undefined) => void): void;
  onLost(hear: (calls: readonly CallRecord[]) => void): void;
  tell(message: ToParent): void;
  /** Gives a connection back, for another worker. */
  giveBack(connection: Socket): void;
  /** Resolves once everything that was told has left this process. */
  flushed(): Promise<void>;
}

const answerWithinMs = 1_000;

/** Opens the link of this process, which must have been started as a worker. */
export function openParentLink(): ParentLink {
  const waiting = new Map<number, { resolve(value: unknown): void; timer: NodeJS.Timeout }>();
  const hearers = new Map<string, (body: unknown) => unknown>();
  let lastId = 0;
  let members = 1;
  let hear: (order: WorkerOrder, connection: Socket | undefined) => void = () => {};
  let hearLost: (calls: readonly CallRecord[]) => void = () => {};
  let unsent = Promise.resolve();

  function send(message: ToParent, connection?: Socket): void {
    const sent = new Promise<void>((resolve) => {
      // A parent that is gone hears nothing any more; its end is heard by itself.
      process.send!(message, connection, undefined, () => {
        // Gone from here, or nobody's any more.
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

  function asking(make: (id: number) => ToParent): Promise<unknown> {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error('the parent process does not answer'));
      }, answerWithinMs);
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
    tell({ type: 'reply', id, body: (await hearers.get(kind)?.(body)) ?? null });
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
        void hearers.get(message.kind)?.(message.body);
        return;
      case 'asked':
        reply(message.id, message.kind, message.body).catch(() => {
          // Whoever asked goes on without this answer.
          tell({ type: 'reply', id: message.id, body: null });
        });
        return;
      case 'lost':
        return hearLost(message.calls);
      default:
        return hear(message, connection);
    }
  });

  return {
    budgets: {
      members: () => members,
      async ask(asks) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the same version of this program
        return (await asking((id) => ({ type: 'budgets', id, asks }))) as readonly BudgetAnswer[];
      },
    },
    siblings: {
      tell: (kind, body = null) => tell({ type: 'tell', kind, body }),
      async ask(kind, body = null) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parent answers with a list
        return (await asking((id) => ({ type: 'ask', id, kind, body })).catch(
          () => [],
        )) as readonly unknown[];
      },
      on: (kind, each) => void hearers.set(kind, each),
    },
    on: (each) => void (hear = each),
    onLost: (each) => void (hearLost = each),
    tell,
    giveBack,
    flushed: () => unsent,
  };
}
