import { template } from '../errors.ts';

/** What the admin API rejects. */
export const adminApiErrors = {
  profileRunning: template(
    'conflict',
    'Another profile is being taken of this process. Try again when it is done.',
  ),
  invalidInput: template(
    'invalid_input',
    (v: { part: 'body' | 'query'; problems: string }) => `The ${v.part} is not valid: ${v.problems}.`,
  ),
  textTooLongToTry: template(
    'invalid_input',
    'The text takes too much work with these rules. Try a shorter text, or fewer rules.',
  ),
  invalidIfMatch: template(
    'invalid_request',
    'If-Match must be the ETag of the version you edited, such as "3".',
  ),
  invalidCursor: template(
    'invalid_input',
    'The cursor is not valid. Send the `nextCursor` of the previous page.',
  ),
  onlyForPeople: template(
    'forbidden',
    'This belongs to a person. Sign in in the browser, or with "handrail login"; tokens for programs have nothing of their own.',
  ),
  onlyInBrowser: template(
    'forbidden',
    'This can only be changed by someone who is signed in in the browser.',
  ),
  routeNotFound: template(
    'not_found',
    (v: { method: string; path: string }) =>
      `The admin API has nothing at ${v.method} ${v.path.slice(0, 200)}.`,
  ),
  versionMissing: template(
    'not_found',
    'The admin API is at /api/v1; its description is at /api/v1/openapi.json.',
  ),
  // access
  addressNotAllowed: template(
    'forbidden',
    'The admin interface does not accept requests from your address. The operator of this gateway can add it to HANDRAIL_ADMIN_ALLOW.',
  ),
  roleTooLow: template(
    'forbidden',
    (v: { needed: string; actual: string }) =>
      `This needs the role "${v.needed}"; yours is "${v.actual}". An owner can change it.`,
  ),
  foreignPage: template('forbidden', 'Only pages of this gateway may use a session.'),
  csrfTokenMissing: template(
    'forbidden',
    'The header X-Handrail-Csrf is missing or not the one of this session; GET /api/v1/session returns its value.',
  ),
  originsNeedOwner: template(
    'forbidden',
    'Only an owner can allow origins to receive the secrets of an API.',
  ),
  // apis and imports
  nothingToWatch: template(
    'invalid_input',
    (v: { slug: string }) => `The API "${v.slug}" was not imported from a URL, so there is nothing to watch.`,
  ),
  unknownOverlay: template(
    'invalid_input',
    (v: { name: string }) => `No overlay named "${v.name}" is stored. Send its text.`,
  ),
  documentNotGiven: template(
    'invalid_input',
    'Give the document in exactly one way: "url", "text" or "files".',
  ),
  noPendingChange: template(
    'not_found',
    (v: { tool: string }) => `No change of the tool "${v.tool}" is waiting for approval.`,
  ),
  // servers and composed tools
  serverDisabled: template(
    'conflict',
    (v: { slug: string }) => `The server "${v.slug}" is disabled. Enable it first.`,
  ),
  disabledServerHasNoTools: template(
    'conflict',
    (v: { slug: string }) =>
      `The server "${v.slug}" is disabled. Enable it, or list the tools that the script may call.`,
  ),
  composedToolNotServed: template(
    'conflict',
    (v: { name: string; server: string }) =>
      `The composed tool "${v.name}" is not served: it, its server "${v.server}" or a tool that it may call is disabled or deleted.`,
  ),
  toolNotOnServer: template(
    'not_found',
    (v: { slug: string; tool: string }) => `The server "${v.slug}" has no tool "${v.tool.slice(0, 200)}".`,
  ),
  unknownDialect: template(
    'not_found',
    (v: { name: string; known: string }) =>
      `There is no dialect "${v.name.slice(0, 60)}". Use one of: ${v.known}.`,
  ),
  introspectionSecretMissing: template(
    'invalid_input',
    'The server cannot be saved: enter the client secret for validating tokens with this issuer.',
  ),
  // trying tools
  maxItemsWithoutAll: template(
    'invalid_request',
    'maxItems limits how much `all: true` fetches. Send both or neither.',
  ),
  noRecordedReply: template(
    'not_found',
    'No reply of this tool is recorded. Make a fresh call, or paste a reply.',
  ),
  replyNotReady: template(
    'conflict',
    (v: { waiting: string }) => `There is no reply to shape yet. ${v.waiting}`,
  ),
  replyNotText: template('conflict', 'The reply is not text, so there is nothing to shape.'),
  // playground
  draftDocumentMissing: template(
    'invalid_input',
    'Give the document to try: "url" or "text", or an "api" that was imported from a URL.',
  ),
  lastMessageNotQuestion: template('invalid_input', 'The last message must be a question.'),
  checksOfOtherServer: template(
    'invalid_input',
    (v: { slug: string }) => `Not all of these checks belong to the server "${v.slug}".`,
  ),
};
