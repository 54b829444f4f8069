import type { z } from 'zod';
import type { NewSession, SecondStep } from '../../../access/sign-in.ts';
import type { Principal } from '../../../domain/person.ts';
import type { Browser } from '../../contract/route.ts';
import { type secondStep, type sessionResource, sessionRoutes } from '../../contract/session.ts';
import { createRefusalLimit } from '../../../access/refusal-limit.ts';
import { HandrailError } from '../../../domain/errors.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { time } from '../views.ts';

// Per minute and address.
const maxLogins = 20;
const maxCodes = 20;

/** Setup, signing in and out, passwords and invitations. */
export function bindSessions({ signIn, logins, store, publicUrl, now }: AppContext): BoundRoute[] {
  const starts = createRefusalLimit({ perAddress: maxLogins, total: maxLogins * 20, now });
  const lookUps = createRefusalLimit({ perAddress: maxCodes, total: maxCodes * 20, now });
  /** Counts wrong codes, so that no one finds the login of someone else by trying. */
  const counted = async <T>({ address }: Browser, work: Promise<T>): Promise<T> => {
    lookUps.check(address);
    try {
      return await work;
    } catch (error) {
      if (error instanceof HandrailError && error.code === 'not_found') lookUps.refuse(address);
      throw error;
    }
  };
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
    bind(sessionRoutes.startLogin, async ({ body: { machine, port = null }, browser }) => {
      starts.refuse(browser.address);
      const { deviceCode, userCode, expiresAtMs } = await logins.start({ machine, port }, browser);
      // After `#`, so that the code never reaches a server's log.
      const url = `${publicUrl()}/admin/login#${userCode}`;
      return { deviceCode, userCode, url, expiresAt: time(expiresAtMs) };
    }),
    bind(sessionRoutes.finishLogin, async ({ body, browser }) => {
      const codes = { deviceCode: body.deviceCode, returnCode: body.code ?? null };
      const opened = await counted(browser, logins.finish(codes, browser));
      if (opened === null) return { state: 'waiting' as const };
      const { token, principal } = opened;
      const expiresAt = time(principal.session!.expiresAtMs);
      return { state: 'done' as const, token, name: principal.name, expiresAt };
    }),
    bind(sessionRoutes.showLogin, async ({ body, browser }) => {
      const { machine, address, startedAtMs, port } = await counted(browser, logins.show(body.code));
      return { machine, address, startedAt: time(startedAtMs), returnsHere: port !== null };
    }),
    bind(sessionRoutes.approveLogin, ({ body, admin, actor, browser }) =>
      counted(browser, logins.approve(body.code, admin, actor)),
    ),
    bind(sessionRoutes.denyLogin, ({ body, admin, actor, browser }) =>
      counted(browser, logins.deny(body.code, admin, actor)),
    ),
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
