import type { z } from 'zod';
import { personCaller, resourceOf } from '../../../access/callers.ts';
import type { PersonNow } from '../../../access/people.ts';
import type { ListedKey } from '../../../access/tokens/personal-keys.ts';
import { localIssuer, type Principal } from '../../../domain/person.ts';
import type { Server } from '../../../domain/server.ts';
import { missing } from '../../../registry/rules/find-and-revise.ts';
import { HandrailError } from '../../../domain/errors.ts';
import { meRoutes } from '../../contract/me.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { time } from '../views.ts';

/** What everyone who is signed in can see and change about their own account. */
export function bindMe({
  signIn,
  secondFactors,
  personalKeys,
  people,
  registry,
  serverRules,
  store,
  recorder,
  publicUrl,
}: AppContext): BoundRoute[] {
  const now = async ({ id }: Principal): Promise<PersonNow> =>
    (await people.personAtVersion(id)) ?? missing('person', id);
  const viewKey = (key: ListedKey): z.input<(typeof meRoutes.listKeys)['reply']>['items'][number] => ({
    id: key.id,
    name: key.name,
    hint: key.hint,
    ...(key.serverIds !== undefined && {
      servers: key.serverIds.map((id) => registry.snapshot.servers.get(id)?.slug ?? id),
    }),
    createdAt: time(key.createdAtMs),
    expiresAt: time(key.expiresAtMs),
    ...(key.usedAtMs !== null && { lastUsedAt: time(key.usedAtMs) }),
  });
  /** Whether someone can use a server as themselves, or anyone can. */
  const isOpenTo = (person: PersonNow, server: Server): boolean => {
    if (!server.enabled) return false;
    if (server.policy.kind !== 'open') return false;
    try {
      serverRules.apply(server, personCaller(person));
      return true;
    } catch {
      return false;
    }
  };

  return [
    bind(meRoutes.get, async ({ admin }) => {
      const person = await now(admin);
      const row = await people.read(admin.id);
      const groups = new Map(people.groups().map((group) => [group.id, group.name]));
      const withKeys = new Set(personalKeys.serversFor(person));
      return {
        id: person.id,
        name: person.name,
        ...(row?.email !== undefined && { email: row.email }),
        role: person.role,
        groups: person.groups.flatMap((id) => groups.get(id) ?? []),
        isLocal: row?.issuer === localIssuer,
        servers: [...registry.snapshot.servers.values()]
          .filter((server) => withKeys.has(server) || isOpenTo(person, server))
          .map((server) => ({
            slug: server.slug,
            name: server.name,
            url: resourceOf(server, publicUrl()),
            takesKeys: withKeys.has(server),
          })),
      };
    }),
    bind(meRoutes.listKeys, async ({ admin }) => ({
      items: (await personalKeys.list(admin.id)).map(viewKey),
    })),
    bind(meRoutes.createKey, async ({ admin, actor, body }) => {
      const { key, secret } = await personalKeys.create(await now(admin), actor, {
        name: body.name,
        servers: body.servers,
        lifetimeMs: body.expiresInDays * 86_400_000,
      });
      return { ...viewKey(key), key: secret };
    }),
    bind(meRoutes.revokeKey, async ({ admin, actor, params }) => {
      await personalKeys.revoke(await now(admin), actor, params.key);
    }),
    bind(meRoutes.calls, async ({ admin, query }) => {
      await recorder.flush();
      const page = await store.calls.find(
        { callerId: personCaller(await now(admin)).id },
        query.limit,
        query.cursor,
      );
      return {
        items: page.calls.map((call) => ({
          id: call.id,
          server: call.serverSlug,
          tool: call.toolName,
          client: call.clientName,
          startedAt: time(call.startedAtMs),
          durationMs: call.durationMs,
          outcome: call.outcome,
          message: call.message,
        })),
        nextCursor: page.nextCursor,
      };
    }),
    bind(meRoutes.secondFactors, async ({ admin }) => {
      const person = await signIn.ownAccount(admin, false);
      const { factors, recoveryCodesLeft } = await secondFactors.stateOf(person.id);
      return {
        items: factors.map(({ factor, usedAtMs }) => ({
          id: factor.id,
          kind: factor.kind,
          name: factor.name,
          createdAt: time(factor.createdAtMs),
          ...(usedAtMs !== null && { lastUsedAt: time(usedAtMs) }),
        })),
        recoveryCodesLeft,
        isRequired: signIn.needsSecondFactor(admin),
        canChange: await signIn.ownAccount(admin, true).then(
          () => true,
          (error: unknown) => {
            if (error instanceof HandrailError && error.code === 'forbidden') return false;
            throw error;
          },
        ),
      };
    }),
    bind(meRoutes.draftAuthenticator, async ({ admin }) =>
      secondFactors.draftTotp(await signIn.ownAccount(admin, true)),
    ),
    bind(meRoutes.addAuthenticator, async ({ admin, actor, body }) => {
      const added = await secondFactors.addTotp(await signIn.ownAccount(admin, true), actor, body);
      return { recoveryCodes: [...added.recoveryCodes] };
    }),
    bind(meRoutes.passkeyChallenge, async ({ admin }) => {
      const { options, challenge } = await secondFactors.passkeyToCreate(
        await signIn.ownAccount(admin, true),
      );
      return { options: { ...options }, challenge };
    }),
    bind(meRoutes.addPasskey, async ({ admin, actor, body }) => {
      const added = await secondFactors.addPasskey(await signIn.ownAccount(admin, true), actor, body);
      return { recoveryCodes: [...added.recoveryCodes] };
    }),
    bind(meRoutes.renewRecoveryCodes, async ({ admin, actor }) => ({
      recoveryCodes: [
        ...(await secondFactors.renewRecoveryCodes(await signIn.ownAccount(admin, true), actor)),
      ],
    })),
    bind(meRoutes.removeFactor, async ({ admin, actor, params }) => {
      await secondFactors.remove(await signIn.ownAccount(admin, true), actor, params.factor);
    }),
  ];
}
