import { HandrailError } from '../../../domain/errors.ts';
import { meRoutes } from '../../contract/me.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { time } from '../views.ts';

/** What everyone who is signed in can see and change about their own account. */
export function bindMe({ signIn, secondFactors }: AppContext): BoundRoute[] {
  return [
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
