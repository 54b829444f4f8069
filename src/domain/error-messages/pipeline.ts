import { template } from '../errors.ts';

/** What can go wrong between a caller's arguments and the tool's output. */
export const pipelineErrors = {
  // arguments
  argumentsNotObject: template('invalid_arguments', 'arguments must be an object'),
  notAFile: template(
    'invalid_arguments',
    (v: { argument: string }) =>
      `${v.argument} must be a file: the handle of an earlier reply or of an upload, an https URL, a data URL such as data:image/png;base64,…, or base64 text.`,
  ),
  noFileUnderHandle: template(
    'invalid_arguments',
    (v: { argument: string }) =>
      `${v.argument}: there is no file under this handle. Nothing has been uploaded yet, the file has expired, or it is not yours.`,
  ),
  argumentFileTooLarge: template(
    'invalid_arguments',
    (v: { argument: string; maxBytes: number }) =>
      `${v.argument}: the file is larger than the limit of ${v.maxBytes} bytes. The operator can raise it (HANDRAIL_MAX_FILE_BYTES).`,
  ),
  secretInArgument: template(
    'argument_blocked',
    (v: { argument: string }) =>
      `The argument "${v.argument}" contains what looks like a secret (a key, token or private key). Leave it out: the gateway adds the credentials itself.`,
  ),
  piiInArgument: template(
    'argument_blocked',
    (v: { argument: string; rules: string }) =>
      `The argument "${v.argument}" contains personal data that must not be sent (PII rules: ${v.rules}). Call again without it.`,
  ),
  argumentTooLongForPii: template(
    'argument_blocked',
    (v: { argument: string }) =>
      `The argument "${v.argument}" is too long to be checked for personal data, which the PII rules of this tool require. Send less at once.`,
  ),
  unsafeValue: template(
    'unsafe_value',
    (v: { argument: string; reason: string }) => `${v.argument} ${v.reason}.`,
  ),
  targetTooLong: template(
    'unsafe_value',
    (v: { length: number; maxLength: number }) =>
      `The arguments make an address of ${v.length} characters, and the limit is ${v.maxLength}. Send fewer or shorter values.`,
  ),
  dotSegment: template(
    'unsafe_value',
    'A path argument must not be "." or "..": it would lead to a different address.',
  ),

  // tools
  parametersNotASchema: template(
    'invalid_input',
    (v: { reason: string }) => `The tool cannot be saved: its parameters ${v.reason}.`,
  ),
  inputSchemaUnusable: template(
    'invalid_arguments',
    (v: { reason: string }) =>
      `The tool's input schema cannot be used (${v.reason}); its operator must fix it.`,
  ),
  sealedValueUnreadable: template(
    'credential_unreadable',
    (v: { what: string; slug: string }) =>
      `The ${v.what} of the API "${v.slug}" was encrypted with a master key that is not available: restore that key, or set the value again.`,
  ),
  credentialNeedsBodyFields: template(
    'credential_missing',
    (v: { field: string }) =>
      `The credential belongs in the body field "${v.field}", but this operation's body has no fields: place the credential elsewhere.`,
  ),
  credentialFieldInBody: template(
    'unsafe_value',
    (v: { field: string }) =>
      `The body contains ${v.field}, which is where the API's credential goes: leave it out.`,
  ),

  // running
  callNotRun: template('internal', 'The call was not run.'),
  callerLeft: template('cancelled', 'The caller disconnected before the call started.'),
  scriptsUnavailable: template('unavailable', 'Scripts cannot be run here.'),
  loginRenewed: template(
    'upstream_status',
    (v: { status: number; method: string }) =>
      `The API no longer accepted its login (HTTP ${v.status}). The login is renewed for the next call, but a ${v.method} is not repeated automatically: call again.`,
  ),

  // replies
  fileTooLarge: template(
    'reply_too_large',
    (v: { maxBytes: number }) =>
      `The file is larger than the limit of ${v.maxBytes} bytes. The operator can raise it (HANDRAIL_MAX_FILE_BYTES).`,
  ),
  redirectWithoutLocation: template(
    'upstream_redirect',
    (v: { status: number; slug: string }) =>
      `The API answered with a redirect (HTTP ${v.status}) that has no Location header. Its operator should check the base URL of ${v.slug} and the path of this tool.`,
  ),
  redirectNotFollowed: template(
    'upstream_redirect',
    (v: { status: number; location: string; advice: string }) =>
      `The API answered with a redirect (HTTP ${v.status}) to ${v.location}, which is not followed. ${v.advice}`,
  ),
  rewriteQueueFull: template(
    'overloaded',
    (v: { reason: string }) => `The reply was not rewritten: ${v.reason}.`,
  ),
  replyTooLargeToRewrite: template(
    'reply_invalid',
    (v: { reason: string }) =>
      `The reply is too large for what this tool makes of it: ${v.reason}. Ask for less.`,
  ),
  replyDoesNotFitShape: template(
    'reply_invalid',
    (v: { reason: string }) =>
      `The reply does not fit how this tool shapes it (${v.reason}); its operator should check that. Retrying will not help.`,
  ),
};
