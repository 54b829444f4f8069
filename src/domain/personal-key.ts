import { type Infer, list, object, optional, text } from '../lib/schema/schema.ts';
import { idText, timeMs } from './fields/row-fields.ts';
import type { Server } from './server.ts';

/** The name that a person gives a key of their own. */
export const personalKeyName = text({ min: 1, max: 100, pattern: /\S/, wants: 'must not be blank' });

/** A key with which a person's programs use servers as that person. The key itself is shown once; only its hash is stored. */
export const personalKey = object({
  id: idText,
  personId: idText,
  name: personalKeyName,
  /** Its first characters, to tell keys apart. */
  hint: text({ min: 1, max: 50 }),
  /** Ids of the servers it may use; absent means every server that its person may use. */
  serverIds: optional(list(idText, { max: 1_000 })),
  createdAtMs: timeMs,
});

export type PersonalKey = Infer<typeof personalKey>;

/** How many keys a person can have, and how long they last. */
export const maxPersonalKeys = 20;
export const maxPersonalKeyDays = 365;

/**
 * Whether a server takes the personal keys of those who may use it: people sign in there, or its rules name them. Where
 * only access keys decide, an operator hands those out.
 */
export function takesPersonalKeys({ policy, access }: Pick<Server, 'policy' | 'access'>): boolean {
  if (policy.kind === 'sign-in') return true;
  return (policy.kind === 'key' || policy.kind === 'basic') && access !== undefined;
}
