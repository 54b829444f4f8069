import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from '../domain/audit.ts';

const acting = new AsyncLocalStorage<Actor>();

/** What Handrail does by itself: start-up, watched documents, retention. */
export const handrailItself: Actor = { id: 'handrail', label: 'Handrail' };

/** Runs `work` in the name of an actor: every registry commit within it is written to the audit log as theirs. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  return acting.run(actor, work);
}

/** Who acts right now. */
export function currentActor(): Actor {
  return acting.getStore() ?? handrailItself;
}
