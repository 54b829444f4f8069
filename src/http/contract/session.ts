import { z } from 'zod';
import { personName, role as personRole } from '../../domain/person.ts';
import { timestamp } from './common.ts';
import { fromDomain } from './from-domain.ts';
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
    via: z.enum(['session', 'token']),
    csrf: z
      .string()
      .describe('Send it as X-Handrail-Csrf with every request but GET; empty for the admin token.'),
    expiresAt: timestamp.optional(),
  })
  .meta({ id: 'Session' });

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
    summary: 'Sign in; the response sets the session cookie',
    body: z.strictObject({ name, password }),
    reply: sessionResource,
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
    reply: sessionResource,
  }),
};
