import type { ApiToken } from '../../domain/admin-api-token.ts';
import { newId } from '../../domain/ids.ts';
import type { Decision } from '../registry.ts';
import type { Snapshot } from '../snapshot.ts';
import { accessErrors } from '../../domain/error-messages/access.ts';
import { fresh, missing, type Moment, revise } from './find-and-revise.ts';

const maxTokens = 1_000;

/** Registers a token by its hash. */
export function createApiToken(
  snapshot: Snapshot,
  input: Pick<ApiToken, 'name' | 'role' | 'expiresAtMs'> & Partial<Pick<ApiToken, 'scopes' | 'createdBy'>>,
  secret: { readonly hash: string; readonly hint: string },
  moment: Moment,
): Decision<ApiToken> {
  if (snapshot.apiTokens.size >= maxTokens) throw accessErrors.tooManyApiTokens({ max: maxTokens });
  const token: ApiToken = { ...fresh(newId('token', moment.nowMs), moment), ...input, ...secret };
  return { changes: [{ op: 'put', kind: 'api-token', entity: token }], result: token };
}

/** Ends a token; it stays listed. */
export function revokeApiToken(snapshot: Snapshot, id: string, moment: Moment): Decision<ApiToken> {
  const current = findApiToken(snapshot, id);
  if (current.revokedAtMs !== undefined) return { changes: [], result: current };
  const token = revise(current, { revokedAtMs: moment.nowMs }, undefined, moment);
  return { changes: [{ op: 'put', kind: 'api-token', entity: token }], result: token };
}

/** Deletes a token, which ends it as well. */
export function deleteApiToken(snapshot: Snapshot, id: string): Decision<ApiToken> {
  const token = findApiToken(snapshot, id);
  return { changes: [{ op: 'delete', kind: 'api-token', id }], result: token };
}

/** Finds a token by ID, or throws `not_found`. */
export function findApiToken(snapshot: Snapshot, id: string): ApiToken {
  return snapshot.apiTokens.get(id) ?? missing('API token', id);
}
