import { template } from '../errors.ts';

/** What can go wrong with the secrets for calling APIs. */
export const credentialErrors = {
  // finding and opening
  // web/admin/src/components/remedies/remedy.ts reads the API and the advice from the next four sentences.
  missing: template(
    'credential_missing',
    (v: { slug: string; reason: string; callerOption: string }) =>
      `The API "${v.slug}" needs a credential, but ${v.reason}. An operator adds one with: handrail credentials set ${v.slug}${v.callerOption}`,
  ),
  otherScheme: template(
    'credential_missing',
    (v: { slug: string; missing: string }) =>
      `The credential stored for the API "${v.slug}" is for a different kind of authentication: an operator must enter it again.${v.missing}`,
  ),
  otherOrigin: template(
    'credential_missing',
    (v: { slug: string; origin: string }) =>
      `The credential of the API "${v.slug}" was not entered for ${v.origin}: an operator must enter it again to allow that.`,
  ),
  rowUnreadable: template(
    'credential_unreadable',
    (v: { slug: string }) =>
      `The credential stored for the API "${v.slug}" cannot be read: an operator must enter it again.`,
  ),
  unreadable: template(
    'credential_unreadable',
    (v: { reason: string }) => `A stored credential ${v.reason}.`,
  ),
  referenceNotAllowed: template(
    'invalid_input',
    (v: { reference: string; setting: string }) =>
      `The secret reference \${${v.reference}} is not allowed here. The operator allows references with ${v.setting}.`,
  ),
  referenceUnusable: template(
    'credential_unreadable',
    (v: { reference: string; reason: string }) =>
      `The secret behind \${${v.reference}} cannot be used: it ${v.reason}. An operator must provide it on this machine.`,
  ),
  clientSecretMissing: template(
    'credential_missing',
    'Access tokens cannot be checked with the issuer: the client secret for introspection was not entered.',
  ),

  // signing in
  signInTimeout: template('upstream_timeout', 'Signing in upstream took too long.'),
  oauthFailed: template(
    'login_failed',
    (v: { reason: string }) => `Signing in with OAuth 2.0 failed: ${v.reason}.`,
  ),
  // HandsAI's wording: clients of its REST API know it.
  loginFailed: template(
    'login_failed',
    (v: { reason: string }) => `Failed to fetch dynamic auth token: ${v.reason}`,
  ),
  renewalNotExclusive: template(
    'login_failed',
    'The sign-in for this API has to be renewed, but the gateway could not make sure that no other instance is renewing it: its database is unavailable, or another instance has not finished. Try again in a minute.',
  ),
  notConnectable: template(
    'invalid_input',
    'Only an API that signs in with an OAuth 2.0 authorization code can be connected in the browser.',
  ),
  connectionInvalid: template(
    'invalid_request',
    'This connection was not started in this browser, took too long, or is already complete: start over.',
  ),

  exchangeNeedsToken: template(
    'credential_missing',
    (v: { slug: string }) =>
      `The API "${v.slug}" is called with a token that is exchanged for the caller's own access token, and this call has none. Call it through a server whose access is an OAuth issuer: a key or a sign-in of this gateway is never passed on.`,
  ),
  // signing requests
  unknownSignaturePart: template(
    'config_invalid',
    (v: { part: string }) => `The signature of this API names the unknown part ${v.part}.`,
  ),
  signedFile: template(
    'unsafe_value',
    "The signature of this API covers the whole body, which therefore cannot be a stored file: send the file's content as a data: URL.",
  ),

  // master key
  masterKeyUnavailable: template(
    'conflict',
    (v: { keyId: string }) =>
      `The current master key (${v.keyId}) is not available, so the stored secrets cannot be re-encrypted. Restore it, or accept the loss with --lost-key and enter the secrets again.`,
  ),
  masterKeyLost: template(
    'credential_unreadable',
    (v: { reason: string }) =>
      `${v.reason}. Restore it, or run "handrail rotate-key --lost-key" and enter the secrets again.`,
  ),
  wrongMasterKey: template(
    'config_invalid',
    (v: { reason: string }) =>
      `${v.reason}. Start with the right key, or with both: HANDRAIL_SECRET_KEY=new,old.`,
  ),
  masterKeyRequired: template(
    'config_invalid',
    'With DATABASE_URL a master key is required: set HANDRAIL_SECRET_KEY to 32 random bytes in base64 (openssl rand -base64 32), the same for every instance.',
  ),
  keyFileNotWritable: template(
    'config_invalid',
    (v: { file: string }) =>
      `The key file ${v.file} cannot be written to the data folder: check its permissions.`,
  ),
  keyFileNotReadable: template(
    'config_invalid',
    (v: { file: string }) => `The key file ${v.file} cannot be read: check its permissions.`,
  ),
  keyNotBase64: template(
    'config_invalid',
    (v: { what: string }) =>
      `${v.what} must be 32 bytes in base64 (44 characters), as printed by "openssl rand -base64 32".`,
  ),
};
