import { template } from '../errors.ts';

/** What can go wrong when a caller or an admin authenticates. */
export const accessErrors = {
  // people
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
  // callers
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
