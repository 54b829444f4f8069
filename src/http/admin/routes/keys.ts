import type { z } from 'zod';
import type { AccessKey } from '../../../domain/access-key.ts';
import { keyPrefix } from '../../../access/callers.ts';
import { newSecret } from '../../../access/secrets.ts';
import {
  createKey,
  deleteKey,
  findKey,
  type KeyPatch,
  revokeKey,
  rotateKey,
  updateKey,
} from '../../../registry/rules/keys.ts';
import { keyRoutes } from '../../contract/keys.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { pageById } from '../paging.ts';
import { viewKey } from '../views.ts';

/** Creating, scoping and revoking access keys. */
export function bindKeys({ registry, keyUses, now }: AppContext): BoundRoute[] {
  const moment = () => ({ nowMs: now() });
  const view = (key: AccessKey) => viewKey(registry.snapshot, key, keyUses.lastUsedAtMs(key.id));
  return [
    bind(keyRoutes.list, ({ query }) =>
      pageById([...registry.snapshot.keys.values()], query, (key) => view(key)),
    ),
    bind(keyRoutes.create, async ({ body, actor }) => {
      const secret = newSecret(keyPrefix);
      const key = await registry.commit(actor, (snapshot) =>
        createKey(
          snapshot,
          {
            name: body.name,
            ...(body.servers && { servers: body.servers }),
            ...(body.tools && { tools: body.tools }),
            ...(body.ratePerMinute !== undefined && { ratePerMinute: body.ratePerMinute }),
            ...(body.expiresAt !== undefined && { expiresAtMs: Date.parse(body.expiresAt) }),
          },
          { hash: secret.hash, hint: secret.hint },
          moment(),
        ),
      );
      return { ...view(key), key: secret.value };
    }),
    bind(keyRoutes.get, ({ params }) => view(findKey(registry.snapshot, params.key))),
    bind(keyRoutes.update, async ({ params, body, expectedRevision, actor }) => {
      const key = await registry.commit(actor, (snapshot) =>
        updateKey(snapshot, params.key, readPatch(body), expectedRevision, moment()),
      );
      return view(key);
    }),
    bind(keyRoutes.rotate, async ({ params, body, actor }) => {
      const { value, hash, hint } = newSecret(keyPrefix);
      const key = await registry.commit(actor, (snapshot) =>
        rotateKey(snapshot, params.key, { hash, hint }, body.overlapMs, moment()),
      );
      return { ...view(key), key: value };
    }),
    bind(keyRoutes.revoke, async ({ params, actor }) => {
      const key = await registry.commit(actor, (snapshot) => revokeKey(snapshot, params.key, moment()));
      return view(key);
    }),
    bind(keyRoutes.remove, async ({ params, actor }) => {
      await registry.commit(actor, (snapshot) => deleteKey(snapshot, params.key));
    }),
  ];
}

function readPatch({ expiresAt, ...rest }: z.output<(typeof keyRoutes.update)['body']>): KeyPatch {
  return {
    ...rest,
    ...(expiresAt !== undefined && { expiresAtMs: expiresAt === null ? null : Date.parse(expiresAt) }),
  };
}
