import { z } from 'zod';
import { factorKind, factorName } from '../../domain/second-factor.ts';
import { maxPersonalKeyDays, personalKeyName } from '../../domain/personal-key.ts';
import { role } from '../../domain/person.ts';
import { timestamp } from './common.ts';
import { fromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';

const tag = 'me';
const name = z.string().trim().pipe(fromDomain(factorName));

/** What a browser's credentials API takes and returns; the library that verifies it knows its fields. */
const browserObject = z.record(z.string(), z.unknown());

/** A challenge for a passkey. */
export const passkeyChallenge = z
  .object({
    options: browserObject.describe('Give this to PublicKeyCredential.parse…OptionsFromJSON.'),
    challenge: z.string().describe('Must be sent back with the answer, within 10 minutes.'),
  })
  .meta({ id: 'PasskeyChallenge' });

/** The answer of a browser to such a challenge. */
export const passkeyAnswer = {
  challenge: z.string().min(1).max(2_000),
  response: browserObject.describe('The credential, as its toJSON() returns it.'),
};

/** An authenticator app that isn't confirmed yet. */
export const authenticatorDraft = z
  .object({
    secret: z.string().describe('To type into the app.'),
    uri: z.string().describe('To show as a QR code.'),
    draft: z.string().describe('Must be sent back with the first code, within 30 minutes.'),
  })
  .meta({ id: 'AuthenticatorDraft' });

/** What confirms it. */
export const authenticatorProof = {
  draft: z.string().min(1).max(2_000),
  code: z.string().min(1).max(100),
};

export const recoveryCodes = z
  .array(z.string())
  .describe(
    'Each signs in once instead of a second factor. Shown only once; empty if there were some already.',
  );

const withCodes = z.object({ recoveryCodes });

/** An authenticator app or a passkey. */
const factorResource = z
  .object({
    id: z.string(),
    kind: fromDomain(factorKind),
    name: z.string(),
    createdAt: timestamp,
    lastUsedAt: timestamp.optional(),
  })
  .meta({ id: 'SecondFactor' });

/** Someone who is signed in, and what they can use. */
const meResource = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string().optional(),
    role: fromDomain(role),
    groups: z.array(z.string()).describe('Names.'),
    isLocal: z.boolean().describe('Whether they have a password here, instead of an identity provider.'),
    servers: z
      .array(
        z.object({
          slug: z.string(),
          name: z.string(),
          url: z.string(),
          takesKeys: z.boolean().describe('Whether keys of your own give access to it.'),
        }),
      )
      .describe('The servers that they can use by signing in, with keys of their own, or without either.'),
  })
  .meta({ id: 'Me' });

const keyResource = z
  .object({
    id: z.string(),
    name: z.string(),
    hint: z.string().describe('Its first characters.'),
    servers: z.array(z.string()).optional().describe('Slugs; absent means every server that you can use.'),
    createdAt: timestamp,
    expiresAt: timestamp,
    lastUsedAt: timestamp.optional().describe('Accurate to a minute; absent when never used.'),
  })
  .meta({ id: 'PersonalKey' });

const ownCall = z
  .object({
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    client: z.string().nullable(),
    startedAt: timestamp,
    durationMs: z.number(),
    outcome: z.string(),
    message: z.string().nullable().describe('What went wrong, if anything did.'),
  })
  .meta({ id: 'OwnCall' });

export const meRoutes = {
  get: defineRoute({
    method: 'GET',
    path: '/me',
    id: 'getMe',
    tag,
    access: 'none',
    person: 'signed-in',
    summary: 'Show who you are, and which servers you can use',
    status: 200,
    reply: meResource,
  }),
  listKeys: defineRoute({
    method: 'GET',
    path: '/me/keys',
    id: 'listPersonalKeys',
    tag,
    access: 'none',
    person: 'signed-in',
    summary: 'List your own keys, newest first',
    status: 200,
    reply: z.object({ items: z.array(keyResource) }),
  }),
  createKey: defineRoute({
    method: 'POST',
    path: '/me/keys',
    id: 'createPersonalKey',
    tag,
    access: 'none',
    person: 'signed-in',
    summary: 'Create a key with which your programs use servers as you; it is shown once',
    status: 201,
    body: z.strictObject({
      name: z.string().trim().pipe(fromDomain(personalKeyName)),
      servers: z
        .array(z.string().min(1).max(100))
        .min(1)
        .max(1_000)
        .optional()
        .describe('Slugs; absent means every server that you can use.'),
      expiresInDays: z.number().int().min(1).max(maxPersonalKeyDays).default(90),
    }),
    reply: keyResource
      .extend({ key: z.string().describe('Shown only once.') })
      .meta({ id: 'NewPersonalKey' }),
  }),
  revokeKey: defineRoute({
    method: 'DELETE',
    path: '/me/keys/:key',
    id: 'revokePersonalKey',
    tag,
    access: 'none',
    person: 'signed-in',
    summary: 'Revoke one of your own keys: it stops working within a second',
    status: 204,
  }),
  calls: defineRoute({
    method: 'GET',
    path: '/me/calls',
    id: 'listOwnCalls',
    tag,
    access: 'none',
    person: 'signed-in',
    summary: 'List the calls that your apps and keys made, newest first',
    status: 200,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      cursor: z.string().max(500).optional(),
    }),
    reply: z.object({ items: z.array(ownCall), nextCursor: z.string().nullable() }),
  }),
  secondFactors: defineRoute({
    method: 'GET',
    path: '/me/second-factors',
    id: 'listSecondFactors',
    tag,
    access: 'none',
    person: 'in-browser',
    summary: 'List your authenticator apps and passkeys',
    status: 200,
    reply: z.object({
      items: z.array(factorResource),
      recoveryCodesLeft: z.number().int(),
      isRequired: z.boolean().describe('Whether you must have one.'),
      canChange: z.boolean().describe('Whether you signed in recently enough to change them.'),
    }),
  }),
  draftAuthenticator: defineRoute({
    method: 'POST',
    path: '/me/second-factors/authenticator',
    id: 'draftAuthenticator',
    tag,
    access: 'none',
    person: 'in-browser',
    summary: 'Start adding an authenticator app',
    status: 200,
    reply: authenticatorDraft,
  }),
  addAuthenticator: defineRoute({
    method: 'POST',
    path: '/me/second-factors/authenticator/confirm',
    id: 'addAuthenticator',
    tag,
    access: 'none',
    person: 'in-browser',
    summary: 'Add an authenticator app, with a code that it shows',
    status: 201,
    body: z.strictObject({ name, ...authenticatorProof }),
    reply: withCodes,
  }),
  passkeyChallenge: defineRoute({
    method: 'POST',
    path: '/me/second-factors/passkey/challenge',
    id: 'challengeNewPasskey',
    tag,
    access: 'none',
    person: 'in-browser',
    summary: 'Start adding a passkey',
    status: 200,
    reply: passkeyChallenge,
  }),
  addPasskey: defineRoute({
    method: 'POST',
    path: '/me/second-factors/passkey',
    id: 'addPasskey',
    tag,
    access: 'none',
    person: 'in-browser',
    summary: 'Add a passkey that a browser made',
    status: 201,
    body: z.strictObject({ name, ...passkeyAnswer }),
    reply: withCodes,
  }),
  renewRecoveryCodes: defineRoute({
    method: 'POST',
    path: '/me/second-factors/recovery-codes',
    id: 'renewRecoveryCodes',
    tag,
    access: 'none',
    person: 'in-browser',
    summary: 'Replace all your recovery codes',
    status: 201,
    reply: withCodes,
  }),
  removeFactor: defineRoute({
    method: 'DELETE',
    path: '/me/second-factors/:factor',
    id: 'removeSecondFactor',
    tag,
    access: 'none',
    person: 'in-browser',
    summary: 'Remove one of your authenticator apps or passkeys',
    status: 204,
  }),
};
