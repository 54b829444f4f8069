import { template } from '../errors.ts';

/** What can go wrong on the MCP surface, besides the calls themselves. */
export const mcpErrors = {
  serverNotFound: template('not_found', (v: { slug: string }) => `There is no server "${v.slug}" here.`),
  unknownMode: template(
    'invalid_input',
    (v: { mode: string; modes: string }) =>
      `There is no mode ${JSON.stringify(v.mode)}: use ${v.modes} or auto.`,
  ),
  modeNotAllowed: template(
    'forbidden',
    (v: { mode: string }) =>
      `This server does not allow the mode "${v.mode}": leave ?mode= out, or ask its operator.`,
  ),
  idTooLong: template(
    'invalid_request',
    (v: { field: string; maxBytes: number }) =>
      `Invalid Request: ${v.field} is longer than ${v.maxBytes} bytes`,
  ),
  sessionIdTooLong: template(
    'invalid_request',
    (v: { max: number }) => `Invalid Request: the Mcp-Session-Id is longer than ${v.max} characters`,
  ),
  notJsonRpc: template('invalid_request', 'Invalid Request: the body is not a JSON-RPC message.'),
  introductionTooLong: template(
    'invalid_request',
    (v: { maxBytes: number }) =>
      `Invalid Request: an initialize request may have at most ${v.maxBytes} bytes.`,
  ),
  embeddingsFailed: template(
    'upstream_status',
    (v: { problem: string }) => `The embeddings endpoint ${v.problem}.`,
  ),
  conversationStopped: template('cancelled', 'The conversation was stopped.'),
};
