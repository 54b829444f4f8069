import type { ApiToken } from '../domain/admin-api-token.ts';
import { accessErrors } from '../domain/error-messages/access.ts';
import { type Principal, roleAllows } from '../domain/person.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import type { KeyUses } from './key-uses.ts';
import type { People } from './people.ts';
import { hashSecret, sameHash } from './secrets.ts';

/** What tokens for programs begin with. */
export const apiTokenPrefix = 'hrt_';

/**
 * The principal of a token for programs; throws `unauthenticated` if it is unknown, expired or revoked, or if the person
 * who created it is gone. It never may more than that person does now.
 */
export async function principalOfApiToken(
  secret: string,
  {
    snapshot,
    people,
    uses,
    nowMs,
  }: {
    readonly snapshot: Pick<Snapshot, 'apiTokens'>;
    readonly people: Pick<People, 'read' | 'nowOf'>;
    readonly uses: Pick<KeyUses, 'note'>;
    readonly nowMs: number;
  },
): Promise<Principal> {
  const hash = hashSecret(secret);
  const token = [...snapshot.apiTokens.values()].find((each) => sameHash(each.hash, hash));
  if (token === undefined || token.revokedAtMs !== undefined || token.expiresAtMs <= nowMs)
    throw accessErrors.apiTokenWrong();
  const role = await roleOf(token, people);
  uses.note(token.id, nowMs);
  return {
    id: token.id,
    name: token.name,
    role,
    groups: [],
    via: 'token',
    csrf: '',
    ...(token.scopes !== undefined && { scopes: token.scopes }),
    ...(token.createdBy !== undefined && { personId: token.createdBy }),
  };
}

async function roleOf(
  { createdBy, role }: ApiToken,
  people: Pick<People, 'read' | 'nowOf'>,
): Promise<Principal['role']> {
  if (createdBy === undefined) return role;
  const person = await people.read(createdBy);
  const now = person && people.nowOf(person);
  if (now === null) throw accessErrors.apiTokenWrong();
  return roleAllows(now.role, role) ? role : now.role;
}
