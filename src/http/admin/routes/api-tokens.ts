import type { z } from 'zod';
import { tokenPrincipalId } from '../../../access/sign-in.ts';
import { newSecret } from '../../../access/secrets.ts';
import { apiTokenPrefix } from '../../../access/api-tokens.ts';
import type { ApiToken } from '../../../domain/admin-api-token.ts';
import { accessErrors } from '../../../domain/error-messages/access.ts';
import { roleAllows } from '../../../domain/person.ts';
import {
  createApiToken,
  deleteApiToken,
  findApiToken,
  revokeApiToken,
} from '../../../registry/rules/api-tokens.ts';
import { type apiTokenResource, apiTokenRoutes } from '../../contract/api-tokens.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { pageById } from '../paging.ts';
import { only } from '../view-parts.ts';
import { time, versionOf } from '../views.ts';

const dayMs = 86_400_000;

/** Tokens for programs that use the admin API. */
export function bindApiTokens({ registry, keyUses, now }: AppContext): BoundRoute[] {
  const view = (token: ApiToken): z.input<typeof apiTokenResource> => {
    const usedAtMs = keyUses.lastUsedAtMs(token.id);
    return {
      ...versionOf(token),
      ...only(token, 'name', 'role', 'hint', 'createdBy'),
      ...(token.scopes && { scopes: [...token.scopes] }),
      expiresAt: time(token.expiresAtMs),
      ...(token.revokedAtMs !== undefined && { revokedAt: time(token.revokedAtMs) }),
      ...(usedAtMs !== undefined && { lastUsedAt: time(usedAtMs) }),
    };
  };
  return [
    bind(apiTokenRoutes.list, ({ query }) =>
      pageById([...registry.snapshot.apiTokens.values()], query, view),
    ),
    bind(apiTokenRoutes.get, ({ params }) => view(findApiToken(registry.snapshot, params.token))),
    bind(apiTokenRoutes.create, async ({ body, admin, actor }) => {
      // A token never makes one that may more than itself.
      if (admin.scopes !== undefined || !roleAllows(admin.role, body.role)) throw accessErrors.tokenTooWide();
      const { value, hash, hint } = newSecret(apiTokenPrefix);
      const createdBy = admin.personId ?? (admin.id === tokenPrincipalId ? undefined : admin.id);
      const input = {
        name: body.name,
        role: body.role,
        expiresAtMs: now() + body.expiresInDays * dayMs,
        ...(body.scopes !== undefined && { scopes: body.scopes }),
        ...(createdBy !== undefined && { createdBy }),
      };
      const token = await registry.commit(actor, (snapshot) =>
        createApiToken(snapshot, input, { hash, hint }, { nowMs: now() }),
      );
      return { ...view(token), token: value };
    }),
    bind(apiTokenRoutes.revoke, async ({ params, actor }) =>
      view(
        await registry.commit(actor, (snapshot) => revokeApiToken(snapshot, params.token, { nowMs: now() })),
      ),
    ),
    bind(apiTokenRoutes.remove, async ({ params, actor }) => {
      await registry.commit(actor, (snapshot) => deleteApiToken(snapshot, params.token));
    }),
  ];
}
