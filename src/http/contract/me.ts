import { z } from 'zod';
import { factorKind, factorName } from '../../domain/second-factor.ts';
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

export const meRoutes = {
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
