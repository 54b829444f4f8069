import { template } from '../errors.ts';

/** What can go wrong when a caller or an admin authenticates. */
export const accessErrors = {
  // people
  adminToolsNeedOwnToken: template(
    'forbidden',
    'Agents manage Handrail with a token of their own, not with the admin token: create one with "handrail api-tokens create NAME --role editor", or narrower with --scope.',
  ),
  adminTokenMissing: template(
    'unauthenticated',
    'The admin API needs the admin token: send it as "Authorization: Bearer …".',
  ),
  adminTokenWrong: template(
    'unauthenticated',
    'The admin token is wrong. "handrail admin-token --reset" creates a new one.',
  ),
  sessionEnded: template('unauthenticated', 'The session has ended: sign in again.'),
  signInFailed: template('unauthenticated', 'The name or the password is wrong.'),
  tokenHasNoPassword: template(
    'forbidden',
    'The admin token has no password; "handrail admin-token --reset" replaces it.',
  ),
  currentPasswordWrong: template('forbidden', 'The current password is wrong.'),
  passwordElsewhere: template(
    'forbidden',
    'This person signs in with an identity provider and has no password here.',
  ),
  peopleUnknown: template(
    'unavailable',
    'The store cannot be reached, so it is not known what people may do. Try again in a moment.',
  ),
  alreadySetUp: template(
    'conflict',
    'Handrail is already set up: sign in, or ask an owner for an invitation.',
  ),
  setupLinkInvalid: template(
    'forbidden',
    'This setup link is unknown or has expired. Restart Handrail: it prints a new one until there is an owner.',
  ),
  passwordWeak: template(
    'invalid_input',
    (v: { weakness: string }) =>
      `The password ${v.weakness}. Several unrelated words make a password that is strong and easy to remember.`,
  ),
  tooManySignIns: template(
    'overloaded',
    'Too many people are signing in at the same time; try again in a moment.',
  ),
  tooManyAttempts: template(
    'rate_limited',
    (v: { seconds: number }) => `Too many failed attempts. Try again in ${v.seconds} s.`,
  ),
  tooManyRejections: template(
    'rate_limited',
    (v: { seconds: number }) =>
      `Too many failed attempts. Try again in ${v.seconds} s with valid credentials.`,
  ),
  apiTokenWrong: template(
    'unauthenticated',
    'The API token is unknown, expired or revoked, or the person who created it no longer has access. An owner can create another.',
  ),
  tokenTooWide: template(
    'forbidden',
    'A token can only be created by someone who may do everything that it may, and not with a scoped token.',
  ),
  scopeTooNarrow: template(
    'forbidden',
    (v: { needed: string }) => `This API token needs the scope ${v.needed}.`,
  ),
  tooManyApiTokens: template(
    'conflict',
    (v: { max: number }) => `There can be at most ${v.max} API tokens. Delete those that are no longer used.`,
  ),
  // second factors
  stepExpired: template(
    'unauthenticated',
    'This sign-in was started more than 10 minutes ago, or the account has changed. Sign in again.',
  ),
  secondFactorWrong: template(
    'unauthenticated',
    'The code is wrong, has expired or was already used. Wait for the next one, or use a recovery code.',
  ),
  passkeyWrong: template(
    'unauthenticated',
    'This passkey is not known here, or its answer came too late. Try again, or sign in with your password.',
  ),
  codeWrong: template(
    'invalid_input',
    'The code is wrong or has expired. Check that the clock of your phone is right and enter the next one.',
  ),
  factorSetUpExpired: template(
    'invalid_input',
    'Setting it up took too long, or was started for another account. Start again.',
  ),
  passkeyNotAdded: template(
    'invalid_input',
    'The passkey could not be verified. Open this page at the address in HANDRAIL_PUBLIC_URL and try again.',
  ),
  factorKnown: template('conflict', 'This app or passkey was already added.'),
  tooManyFactors: template(
    'conflict',
    (v: { max: number }) =>
      `There can be at most ${v.max} authenticator apps and passkeys. Remove one that you no longer use.`,
  ),
  noFactorToRecover: template(
    'conflict',
    'Recovery codes are for people with an authenticator app or a passkey. Add one first.',
  ),
  factorNotFound: template('not_found', 'There is no such authenticator app or passkey.'),
  factorElsewhere: template(
    'forbidden',
    'This person signs in with an identity provider, which also asks for second factors.',
  ),
  signInTooOld: template(
    'forbidden',
    'You signed in more than 15 minutes ago. Sign in again to change how you sign in.',
  ),
  // single sign-on
  signInExpired: template(
    'forbidden',
    'This sign-in was started in another browser, or more than 10 minutes ago. Start again from the sign-in page.',
  ),
  providerFailed: template(
    'unavailable',
    (v: { name: string; why: string }) => `${v.name} could not sign you in: ${v.why}.`,
  ),
  providerRefused: template(
    'forbidden',
    (v: { name: string; code: string }) =>
      `${v.name} did not sign you in (${v.code}). Start again, or ask its administrator.`,
  ),
  providerDomain: template(
    'forbidden',
    'Your account has no verified email address in one of the domains that may sign in here. Ask an owner of this gateway.',
  ),
  personDisabled: template('forbidden', 'Your account here is disabled. Ask an owner of this gateway.'),
  tooManyPeople: template(
    'forbidden',
    'No further people can sign in here: the limit is reached. Ask an owner of this gateway.',
  ),
  passwordsOff: template(
    'forbidden',
    'Passwords are turned off here, except for owners in an emergency. Use single sign-on.',
  ),
  clientSecretNeeded: template(
    'invalid_input',
    'The client secret was entered for another issuer. Enter the one of this issuer, or null for a public client.',
  ),
  providerTaken: template(
    'conflict',
    (v: { slug: string }) => `There is already an identity provider "${v.slug}".`,
  ),
  tooManyProviders: template(
    'conflict',
    (v: { max: number }) => `There can be at most ${v.max} identity providers.`,
  ),
  // callers
  serverNotForPerson: template(
    'forbidden',
    'You signed in, but this server is not open to you or any of your groups. Ask its operator for access.',
  ),
  keyNotForServer: template('forbidden', 'The access key does not give access to this server.'),
  keyNeeded: template(
    'unauthenticated',
    'This server needs an access key: send it as "Authorization: Bearer …", or where its operator said. None was sent, or it is unknown, expired or revoked.',
  ),
  basicNeeded: template(
    'unauthenticated',
    'This server needs basic authentication: any user name, and an access key as the password. None was sent, or it is unknown, expired or revoked.',
  ),
  tokenNeeded: template(
    'unauthenticated',
    'This server needs an OAuth access token: the WWW-Authenticate header says where to get one.',
  ),
  tokenRejected: template(
    'unauthenticated',
    (v: { why: string }) => `The access token is not accepted: ${v.why}.`,
  ),
  scopeMissing: template(
    'forbidden',
    (v: { scopes: string }) => `The access token lacks a scope; this needs: ${v.scopes}.`,
  ),
  tooManyNewTokens: template(
    'unavailable',
    'Too many new access tokens at the same time: try again in a moment.',
  ),
  introspectionFailed: template(
    'unavailable',
    (v: { issuer: string; why: string }) =>
      `The issuer ${v.issuer} cannot be asked about access tokens: ${v.why}.`,
  ),
  issuerKeysUnavailable: template(
    'unavailable',
    (v: { issuer: string; why: string }) => `The issuer ${v.issuer} cannot be asked for its keys: ${v.why}.`,
  ),
};
