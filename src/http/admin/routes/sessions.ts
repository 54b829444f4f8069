import type { z } from 'zod';
import type { NewSession, SecondStep } from '../../../access/sign-in.ts';
import type { Principal } from '../../../domain/person.ts';
import type { Browser } from '../../contract/route.ts';
import { type secondStep, type sessionResource, sessionRoutes } from '../../contract/session.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { time } from '../views.ts';

/** Setup, signing in and out, passwords and invitations. */
export function bindSessions({ signIn, store }: AppContext): BoundRoute[] {
  return [
    bind(sessionRoutes.setupState, async () => ({ needed: !(await store.people.hasPasswords()) })),
    bind(sessionRoutes.setUp, async ({ body, browser }) =>
      startSession(await signIn.setUp(body.token, body.name, body.password, browser), browser),
    ),
    bind(sessionRoutes.signIn, async ({ body, browser }) =>
      startOrAsk(await signIn.withPassword(body.name, body.password, browser), browser),
    ),
    bind(sessionRoutes.withCode, async ({ body, browser }) =>
      startSession(await signIn.withCode(body.pending, body.code, browser), browser),
    ),
    bind(sessionRoutes.challengePasskey, async ({ body }) => {
      const { options, challenge } = await signIn.passkeyChallenge(body.pending ?? null);
      return { options: { ...options }, challenge };
    }),
    bind(sessionRoutes.withPasskey, async ({ body: { pending = null, ...answer }, browser }) =>
      startSession(await signIn.withPasskey(pending, answer, browser), browser),
    ),
    bind(sessionRoutes.setUpAuthenticator, ({ body }) => signIn.draftTotp(body.pending)),
    bind(sessionRoutes.confirmAuthenticator, async ({ body: { pending, ...proof }, browser }) => {
      const session = await signIn.withNewTotp(pending, { ...proof, name: 'Authenticator' }, browser);
      return { ...startSession(session, browser), recoveryCodes: [...session.recoveryCodes] };
    }),
    bind(sessionRoutes.get, ({ admin }) => viewSession(admin)),
    bind(sessionRoutes.signOut, async ({ admin, browser }) => {
      await signIn.signOut(admin, browser);
      browser.keepSession(null);
    }),
    bind(sessionRoutes.list, async ({ admin }) => {
      const sessions = admin.via === 'token' ? [] : await store.sessions.listOf(admin.id);
      return {
        items: sessions.map((session) => ({
          current: session.hash === admin.session?.hash,
          createdAt: time(session.createdAtMs),
          lastSeenAt: time(session.lastSeenAtMs),
          expiresAt: time(session.expiresAtMs),
          address: session.address,
          userAgent: session.userAgent,
        })),
      };
    }),
    bind(sessionRoutes.signOutEverywhere, async ({ admin, browser }) => {
      await signIn.signOutEverywhere(admin, browser);
      browser.keepSession(null);
    }),
    bind(sessionRoutes.changePassword, ({ admin, body, browser }) =>
      signIn.changePassword(admin, body.current, body.password, browser),
    ),
    bind(sessionRoutes.invitation, async ({ body }) => {
      const { name, role, invitation } = await signIn.invited(body.token);
      return { name, role, expiresAt: time(invitation!.expiresAtMs) };
    }),
    bind(sessionRoutes.accept, async ({ body, browser }) =>
      startOrAsk(await signIn.accept(body.token, body.password, browser), browser),
    ),
  ];
}

function startOrAsk(
  result: NewSession | SecondStep,
  browser: Browser,
): z.input<typeof sessionResource> | z.input<typeof secondStep> {
  return 'pending' in result ? { ...result, kinds: [...result.kinds] } : startSession(result, browser);
}

function startSession({ token, principal }: NewSession, browser: Browser): z.input<typeof sessionResource> {
  browser.keepSession({ token, expiresAtMs: principal.session!.expiresAtMs });
  return viewSession(principal);
}

function viewSession(admin: Principal): z.input<typeof sessionResource> {
  const { id, name, role, via, isLocal = false, csrf, session } = admin;
  return { id, name, role, via, isLocal, csrf, ...(session && { expiresAt: time(session.expiresAtMs) }) };
}
