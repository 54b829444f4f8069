import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from '../domain/audit.ts';

const acting = new AsyncLocalStorage<Actor>();

/** What Handrail does by itself: start-up, watched documents, retention. */
export const handrailItself: Actor = { id: 'handrail', label: 'Handrail' };

let working = 0;

/** Runs `work` in the name of an actor: every registry commit within it is written to the audit log as theirs. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  working++;
  let result: T;
  try {
    result = acting.run(actor, work);
  } catch (error) {
    rest();
    throw error;
  }
  if (result instanceof Promise) result.then(rest, rest);
  else rest();
  return result;
}

// On Node 20 a store that was used once slows every await of the process, calls included, until it is disabled.
function rest(): void {
  if (--working === 0) acting.disable();
}

/** Who acts right now. */
export function currentActor(): Actor {
  return acting.getStore() ?? handrailItself;
}
