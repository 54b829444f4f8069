import { z } from 'zod';
import { personName, role as personRole } from '../../domain/person.ts';
import { factorKind } from '../../domain/second-factor.ts';
import { timestamp } from './common.ts';
import { fromDomain } from './from-domain.ts';
import {
  authenticatorDraft,
  authenticatorProof,
  passkeyAnswer,
  passkeyChallenge,
  recoveryCodes,
} from './me.ts';
import { defineRoute } from './route.ts';

export const role = fromDomain(personRole);

/** A person's name; surrounding whitespace is ignored. */
export const name = z.string().trim().pipe(fromDomain(personName));
const password = z.string().min(1).max(1_000);

/** Who is signed in. */
export const sessionResource = z
  .object({
    id: z.string(),
    name: z.string(),
    role,
    via: z.enum(['session', 'login', 'token']),
    isLocal: z
      .boolean()
      .describe('Whether this person has a password here, instead of an identity provider.'),
    csrf: z
      .string()
      .describe('Send it as X-Handrail-Csrf with every request but GET; empty for the admin token.'),
    expiresAt: timestamp.optional(),
  })
  .meta({ id: 'Session' });

/** A sign-in that still needs a second factor. */
export const secondStep = z
  .object({
    pending: z.string().describe('Send it with the second factor, within 10 minutes.'),
    stage: z
      .enum(['second-factor', 'set-up'])
      .describe('set-up: this person must have a second factor and adds one now.'),
    kinds: z.array(fromDomain(factorKind)).describe('What the person can use.'),
    name: z.string(),
  })
  .meta({ id: 'SecondStep' });

const sessionOrStep = z.union([sessionResource, secondStep]);
const pending = z.string().min(1).max(200);

const openSession = z
  .object({
    current: z.boolean(),
    createdAt: timestamp,
    lastSeenAt: timestamp,
    expiresAt: timestamp,
    address: z.string(),
    userAgent: z.string(),
  })
  .meta({ id: 'OpenSession' });

export const sessionRoutes = {
  setupState: defineRoute({
    method: 'GET',
    path: '/setup',
    id: 'getSetup',
    tag: 'session',
    access: 'public',
    status: 200,
    summary: 'Show whether the first owner’s account still has to be created',
    reply: z.object({ needed: z.boolean() }),
  }),
  setUp: defineRoute({
    method: 'POST',
    path: '/setup',
    id: 'setUp',
    tag: 'session',
    access: 'public',
    status: 201,
    summary: 'Create the first owner’s account, with the token of the setup link, and sign in',
    body: z.strictObject({ token: z.string().min(1).max(200), name, password }),
    reply: sessionResource,
  }),
  signIn: defineRoute({
    method: 'POST',
    path: '/session',
    id: 'signIn',
    tag: 'session',
    access: 'public',
    status: 201,
    summary: 'Sign in; the response sets the session cookie, or says which second factor is needed',
    body: z.strictObject({ name, password }),
    reply: sessionOrStep,
  }),
  withCode: defineRoute({
    method: 'POST',
    path: '/session/code',
    id: 'signInWithCode',
    tag: 'session',
    access: 'public',
    status: 201,
    summary: 'Finish signing in with a code of your authenticator app, or a recovery code',
    body: z.strictObject({ pending, code: z.string().min(1).max(100) }),
    reply: sessionResource,
  }),
  challengePasskey: defineRoute({
    method: 'POST',
    path: '/session/passkey/challenge',
    id: 'challengePasskey',
    tag: 'session',
    access: 'public',
    status: 200,
    summary: 'Start signing in with a passkey: as the second factor, or alone',
    body: z.strictObject({ pending: pending.optional() }),
    reply: passkeyChallenge,
  }),
  withPasskey: defineRoute({
    method: 'POST',
    path: '/session/passkey',
    id: 'signInWithPasskey',
    tag: 'session',
    access: 'public',
    status: 201,
    summary: 'Sign in with a passkey: as the second factor, or alone',
    body: z.strictObject({ pending: pending.optional(), ...passkeyAnswer }),
    reply: sessionResource,
  }),
  setUpAuthenticator: defineRoute({
    method: 'POST',
    path: '/session/authenticator',
    id: 'setUpAuthenticator',
    tag: 'session',
    access: 'public',
    status: 200,
    summary: 'Start adding the authenticator app that this sign-in needs',
    body: z.strictObject({ pending }),
    reply: authenticatorDraft,
  }),
  confirmAuthenticator: defineRoute({
    method: 'POST',
    path: '/session/authenticator/confirm',
    id: 'confirmAuthenticator',
    tag: 'session',
    access: 'public',
    status: 201,
    summary: 'Add the authenticator app with a code that it shows, and sign in',
    body: z.strictObject({ pending, ...authenticatorProof }),
    reply: sessionResource.extend({ recoveryCodes }).meta({ id: 'SessionWithCodes' }),
  }),
  get: defineRoute({
    method: 'GET',
    path: '/session',
    id: 'getSession',
    tag: 'session',
    access: 'none',
    status: 200,
    summary: 'Show who is signed in',
    reply: sessionResource,
  }),
  signOut: defineRoute({
    method: 'DELETE',
    path: '/session',
    id: 'signOut',
    tag: 'session',
    access: 'none',
    status: 204,
    summary: 'Sign out',
  }),
  list: defineRoute({
    method: 'GET',
    path: '/sessions',
    id: 'listSessions',
    tag: 'session',
    access: 'none',
    status: 200,
    summary: 'List your own open sessions',
    reply: z.object({ items: z.array(openSession) }),
  }),
  signOutEverywhere: defineRoute({
    method: 'DELETE',
    path: '/sessions',
    id: 'signOutEverywhere',
    tag: 'session',
    access: 'none',
    status: 204,
    summary: 'Sign out of every browser, this one included',
  }),
  changePassword: defineRoute({
    method: 'POST',
    path: '/session/password',
    id: 'changePassword',
    tag: 'session',
    access: 'none',
    person: 'in-browser',
    status: 204,
    summary: 'Change your password; your other sessions end',
    body: z.strictObject({ current: password, password }),
  }),
  invitation: defineRoute({
    method: 'POST',
    path: '/invitation',
    id: 'readInvitation',
    tag: 'session',
    access: 'public',
    status: 200,
    summary: 'Show who an invitation is for',
    body: z.strictObject({ token: z.string().min(1).max(200) }),
    reply: z.object({ name: z.string(), role, expiresAt: timestamp }),
  }),
  accept: defineRoute({
    method: 'POST',
    path: '/invitation/accept',
    id: 'acceptInvitation',
    tag: 'session',
    access: 'public',
    status: 201,
    summary: 'Choose a password with an invitation, and sign in',
    body: z.strictObject({ token: z.string().min(1).max(200), password }),
    reply: sessionOrStep,
  }),
};
