import { choice, type Infer, list, object, text } from '../lib/schema/schema.ts';
import { authKinds } from './auth-scheme.ts';
import type { Credential } from './credential.ts';
import { originText } from './fields/addresses.ts';
import { idText, rowFields } from './fields/row-fields.ts';

/**
 * A person's own account at an API: a credential that only calls of this person use. A row that is read by key, never
 * part of the registry, because there can be one for each person and API.
 */
export const account = object({
  ...rowFields,
  apiId: idText,
  personId: idText,
  /** `person:` and the id, which the sealed text is bound to. */
  callerId: text({ min: 1, max: 300 }),
  name: text({ min: 1, max: 2_000 }),
  kind: choice(...authKinds),
  /** Names of the values inside. Of OAuth 2.0, only tokens: the client is the API's own credential. */
  fields: list(text({ min: 1, max: 300 }), { max: 1_000 }),
  origins: list(originText, { max: 100_000 }),
  sealed: text({ min: 1, max: 400_000 }),
});

export type Account = Infer<typeof account>;

/** Whether this is the id of an account, and not of a credential of the registry. */
export function isAccountId(id: string): boolean {
  return id.startsWith('acct_');
}

/** Whether a credential is a person's own account. */
export function isAccount(credential: Credential): credential is Account {
  return isAccountId(credential.id);
}

/** The longest value that a person can enter. */
export const maxEnteredLength = 16_384;
