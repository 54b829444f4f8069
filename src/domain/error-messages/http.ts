import { template } from '../errors.ts';

/** What the HTTP surface rejects. */
export const httpErrors = {
  noSuchProvider: template(
    'not_found',
    'There is no such identity provider, or it is disabled. Start from the sign-in page.',
  ),
  serverNotFound: template(
    'not_found',
    (v: { slug: string }) => `There is no MCP server "${v.slug.slice(0, 60)}" here.`,
  ),
  routeNotFound: template(
    'not_found',
    (v: { method: string; path: string }) => `There is nothing at ${v.method} ${v.path.slice(0, 200)}.`,
  ),
  hostNotAllowed: template(
    'forbidden',
    'The Host header does not name this gateway. If the name is right, add it to HANDRAIL_ALLOWED_HOSTS or set HANDRAIL_PUBLIC_URL.',
  ),
  originNotAllowed: template(
    'forbidden',
    'Pages of this origin may not call this gateway. An operator can allow it with HANDRAIL_ALLOWED_ORIGINS.',
  ),
  crossSiteRequest: template('forbidden', 'Requests from other sites are rejected.'),
  bodyNotJson: template(
    'unsupported_media_type',
    'Send the body as JSON, with the header "Content-Type: application/json".',
  ),
  encodedBody: template(
    'unsupported_media_type',
    'Compressed bodies are not supported. Send the body without Content-Encoding.',
  ),
  tooManyHeaders: template(
    'invalid_request',
    (v: { max: number }) => `The request has too many headers. Send at most ${v.max}.`,
  ),
  duplicateHeader: template(
    'invalid_request',
    (v: { name: string }) => `Send the header ${v.name} only once.`,
  ),
  headersTooLarge: template(
    'invalid_request',
    'The request line and the headers together are larger than 16 kB. Send long values in the body.',
  ),
  requestTooSlow: template(
    'invalid_request',
    'The request did not arrive in time. Send it again, without pauses.',
  ),
  bodyTooLarge: template(
    'payload_too_large',
    'The body is larger than this gateway accepts (HANDRAIL_MAX_BODY_BYTES).',
  ),
  contentLengthMismatch: template(
    'invalid_request',
    'The body is shorter or longer than its Content-Length header says.',
  ),
  malformedUrl: template('invalid_request', 'The URL is not well-formed.'),
  malformedRequest: template('invalid_request', 'The request is not well-formed.'),
  // routes
  unknownTool: template(
    'unknown_tool',
    (v: { name: string; suggestion: string }) => `There is no tool "${v.name}" here.${v.suggestion}`,
  ),
  argumentsNotJson: template(
    'invalid_request',
    (v: { problem: string }) =>
      `The body must be a JSON object with the arguments of the tool: ${v.problem}.`,
  ),
  queryInvalid: template(
    'invalid_request',
    (v: { problem: string }) => `The query is not valid: ${v.problem}.`,
  ),
  defaultServerDisabled: template('not_found', 'The default server is disabled.'),
  iconNotFound: template('not_found', 'There is no such icon.'),
  noOAuthHere: template('not_found', 'Nothing here is protected by OAuth.'),
  // The same for a forged link, an expired one, and one whose caller lost access.
  linkNotValid: template('not_found', 'This link has expired or never existed.'),
  fileTooLarge: template(
    'payload_too_large',
    (v: { maxBytes: number }) =>
      `The file is larger than this gateway accepts (${v.maxBytes} bytes, HANDRAIL_MAX_FILE_BYTES).`,
  ),
  malformedForm: template('invalid_request', (v: { why: string }) => `The form can't be read: ${v.why}.`),
  formWithoutFile: template('invalid_input', 'The form contains no file. Choose one.'),
  // listening
  portInUse: template(
    'config_invalid',
    (v: { port: number }) =>
      `Port ${v.port} is in use. Stop the program that uses it, or choose another port: --port ${v.port + 1} (or --port 0 for any free one).`,
  ),
  portNotPermitted: template(
    'config_invalid',
    (v: { port: number }) =>
      `This process does not have permission to listen on port ${v.port}. Choose one above 1023.`,
  ),
  addressNotAvailable: template(
    'config_invalid',
    (v: { host: string }) => `This machine has no address "${v.host}" to listen on.`,
  ),
};
