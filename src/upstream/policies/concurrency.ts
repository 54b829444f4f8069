import { HandrailError } from '../../domain/errors.ts';
import type { Hangup, Reply, SendContext, SendPolicy, SignedRequest } from '../../pipeline/types.ts';
import { Deadlines, Running } from '../deadlines.ts';

interface Gate {
  running: number;
  readonly waiting: Set<Waiting>;
}

/** How much is under way, of all gates together; kept up to date by the policy. */
export interface Load {
  running: number;
  waiting: number;
}

/** Bounds how many requests run at once for an API, or for a tool that sets its own limit; a bounded number waits in line. */
export function concurrencyPolicy(now: () => number, load: Load = { running: 0, waiting: 0 }): SendPolicy {
  const gates = new Map<string, Gate>();
  const deadlines = new Deadlines(now);

  function gateOf(context: SendContext): Gate {
    const { tool, api } = context.tool;
    const key = tool.limits?.maxConcurrent === undefined ? api.id : tool.id;
    let gate = gates.get(key);
    if (gate === undefined) gates.set(key, (gate = { running: 0, waiting: new Set() }));
    return gate;
  }

  return (next) => {
    function enter(gate: Gate, request: SignedRequest, context: SendContext): Promise<Reply> {
      gate.running++;
      load.running++;
      const { maxConcurrent } = context.limits;
      // Two handlers cost a fraction of `finally`, and every call comes through here.
      return next(request, context).then(
        (reply) => {
          leave(gate, maxConcurrent);
          return reply;
        },
        (error: unknown) => {
          leave(gate, maxConcurrent);
          throw error;
        },
      );
    }

    function leave(gate: Gate, most: number): void {
      gate.running--;
      load.running--;
      if (gate.waiting.size === 0 || gate.running >= most) return;
      for (const first of gate.waiting) {
        gate.waiting.delete(first);
        load.waiting--;
        deadlines.delete(first);
        first.go();
        return;
      }
    }

    return (request, context) => {
      const gate = gateOf(context);
      const { maxConcurrent, maxQueued } = context.limits;
      if (gate.running < maxConcurrent && gate.waiting.size === 0) return enter(gate, request, context);
      if (gate.waiting.size >= maxQueued) return Promise.reject(busy(context));
      const since = context.log?.now() ?? 0;
      return new Promise<Reply>((resolve, reject) => {
        const waiting = new Waiting(
          context,
          () => {
            context.log?.add('wait', since, 'in line');
            resolve(enter(gate, request, context));
          },
          (error) => {
            if (gate.waiting.delete(waiting)) load.waiting--;
            reject(error);
          },
        );
        gate.waiting.add(waiting);
        load.waiting++;
        deadlines.add(waiting);
      });
    };
  };
}

class Waiting extends Running {
  readonly deadlineMs: number;
  readonly signal: Hangup;
  readonly go: () => void;
  readonly #fail: (error: HandrailError) => void;

  constructor(context: SendContext, go: () => void, fail: (error: HandrailError) => void) {
    super();
    this.deadlineMs = context.deadlineMs;
    this.signal = context.signal;
    this.go = go;
    this.#fail = fail;
  }

  stop(why: 'deadline' | 'cancelled'): void {
    this.#fail(
      why === 'cancelled'
        ? new HandrailError('cancelled', 'The caller went away while the call waited its turn.', {
            notSent: true,
          })
        : new HandrailError(
            'overloaded',
            'Too many calls to this API run at once: the call waited its turn in vain.',
            { notSent: true },
          ),
    );
  }
}

function busy({ tool, limits }: SendContext): HandrailError {
  return new HandrailError(
    'overloaded',
    `Too many calls to the API "${tool.api.slug}" run at once: ${limits.maxConcurrent} are under way and ${limits.maxQueued} wait.`,
    { retryAfterMs: 1_000, notSent: true },
  );
}
