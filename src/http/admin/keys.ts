import type { z } from 'zod';
import { newSecret } from '../../access/secrets.ts';
import { createKey, deleteKey, findKey, type NewKey, revokeKey, updateKey } from '../../registry/keys.ts';
import { keyRoutes } from '../contract/keys.ts';
import type { Serving } from '../serving.ts';
import { bind, type BoundRoute } from './bind.ts';
import { pageById } from './paging.ts';
import { viewKey } from './views.ts';

/** Making, scoping and revoking access keys. */
export function bindKeys({ registry, now }: Serving): BoundRoute[] {
  const moment = () => ({ nowMs: now() });
  return [
    bind(keyRoutes.list, ({ query }) =>
      pageById([...registry.snapshot.keys.values()], query, (key) => viewKey(registry.snapshot, key)),
    ),
    bind(keyRoutes.create, async ({ body }) => {
      const secret = newSecret('hrk_');
      const key = await registry.commit((snapshot) =>
        createKey(
          snapshot,
          { ...readKey(body), name: body.name },
          { hash: secret.hash, hint: secret.hint },
          moment(),
        ),
      );
      return { ...viewKey(registry.snapshot, key), key: secret.value };
    }),
    bind(keyRoutes.get, ({ params }) => viewKey(registry.snapshot, findKey(registry.snapshot, params.key))),
    bind(keyRoutes.update, async ({ params, body, expectedRevision }) => {
      const key = await registry.commit((snapshot) =>
        updateKey(snapshot, params.key, readKey(body), expectedRevision, moment()),
      );
      return viewKey(registry.snapshot, key);
    }),
    bind(keyRoutes.revoke, async ({ params }) => {
      const key = await registry.commit((snapshot) => revokeKey(snapshot, params.key, moment()));
      return viewKey(registry.snapshot, key);
    }),
    bind(keyRoutes.remove, async ({ params }) => {
      await registry.commit((snapshot) => deleteKey(snapshot, params.key));
    }),
  ];
}

function readKey({ expiresAt, ...rest }: z.output<(typeof keyRoutes.update)['body']>): Partial<NewKey> {
  return { ...rest, ...(expiresAt !== undefined && { expiresAtMs: Date.parse(expiresAt) }) };
}
