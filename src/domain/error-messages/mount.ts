import { template } from '../errors.ts';

/** What can go wrong where Handrail is mounted in an app. */
export const mountErrors = {
  documentMissing: template(
    'config_invalid',
    'There is no document to make tools from. Pass document: an OpenAPI object, its text, the path where this app serves it, or a function that returns one of these.',
  ),
  fetchMissing: template(
    'config_invalid',
    'Calls have nowhere to go. Pass fetch: a function that takes a Request and returns the Response of this app; handrail/mount/node makes one for Express, Fastify, NestJS and node:http.',
  ),
  documentElsewhere: template(
    'config_invalid',
    (v: { url: string }) =>
      `The document is at another address (${v.url}), and a mounted Handrail opens no connections. Pass document: () => fetch(address).then((reply) => reply.text()).`,
  ),
  documentNotServed: template(
    'import_unreadable',
    (v: { path: string; status: number }) =>
      `This app answers ${v.path} with HTTP ${v.status}, not with its OpenAPI document. Check the path, or whether it needs a login, and pass the document itself if it does.`,
  ),
  noOpenApi: template(
    'import_unreadable',
    'This is not an OpenAPI or Swagger document: it has no "openapi" or "swagger" version at its top. Other formats are imported by the gateway.',
  ),
  noOperations: template('import_unreadable', (v: { operations: number }) =>
    v.operations === 0
      ? 'The document has no operations, so there would be no tools.'
      : `None of the ${v.operations} operations of the document is selected, so there would be no tools. Check select and readOnly.`,
  ),
  unknownToolNamed: template(
    'config_invalid',
    (v: { option: string; name: string; hint: string }) =>
      `${v.option} names "${v.name}", which is not a tool here.${v.hint}`,
  ),
  nameTaken: template(
    'config_invalid',
    (v: { name: string; first: string; second: string }) =>
      `Two tools would be named "${v.name}": ${v.first} and ${v.second}. Rename one of them.`,
  ),
  nameUnusable: template(
    'config_invalid',
    (v: { name: string }) =>
      `"${v.name}" cannot be the name of a tool: use 1 to 64 letters, digits, "_" and "-".`,
  ),
  optionUnusable: template(
    'config_invalid',
    (v: { option: string; problem: string }) => `The option ${v.option} ${v.problem}`,
  ),
  codeMissing: template(
    'config_invalid',
    "Code mode needs its own import, because it brings a JavaScript engine: import { code } from 'handrail/mount/code' and pass code: code().",
  ),
  headerNotForwardable: template(
    'config_invalid',
    (v: { name: string }) =>
      `forward names "${v.name}", a header of the connection or of the protocol, which cannot be passed on.`,
  ),
  servedElsewhere: template(
    'egress_refused',
    (v: { origin: string; own: string }) =>
      `The document places this operation at ${v.origin}, and only ${v.own} is this app. Calls are not sent anywhere else: hide the tool, or serve it by a gateway.`,
  ),
  loop: template(
    'loop_detected',
    'A tool called the MCP endpoint that it was called through, which would never end. Leave the MCP route out of the document, or hide its tool.',
  ),
  closed: template('unavailable', 'This MCP endpoint is closed: its app is shutting down.'),
  originNotAllowed: template(
    'forbidden',
    (v: { origin: string }) =>
      `Pages of ${v.origin} may not call this MCP endpoint. To allow them, add the origin to allowedOrigins.`,
  ),
  bodyNotJson: template('unsupported_media_type', 'Send the body as application/json.'),
  bodyTooLarge: template(
    'payload_too_large',
    (v: { maxBytes: number }) => `The body is larger than ${v.maxBytes} bytes.`,
  ),
  noFilesByUrl: template(
    'unsafe_value',
    'Files are not fetched by URL here. Send the content itself, or the handle of a file that an earlier reply was kept under.',
  ),
  hostToolFailed: template(
    'internal',
    (v: { name: string }) => `The tool "${v.name}" failed. The log of the app has the details.`,
  ),
  bodyConsumed: template(
    'invalid_request',
    'The body was read before it got here, and the framework kept no parsed copy. Mount Handrail before the body parser, or let the parser keep req.body.',
  ),
};
