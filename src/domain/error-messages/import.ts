import { template } from '../errors.ts';

/** What can go wrong when a document is imported. */
export const importErrors = {
  // getting the document
  notADocument: template(
    'import_unreadable',
    (v: { origin: string; status: number }) =>
      `${v.origin} answered HTTP ${v.status} instead of sending a document.`,
  ),
  notFromAddress: template(
    'invalid_input',
    (v: { slug: string }) =>
      `The API "${v.slug}" was not imported from a URL: import its document again instead.`,
  ),
  tooManyImports: template(
    'overloaded',
    (v: { maxQueued: number }) =>
      `${v.maxQueued} documents are already waiting to be read. Try again when they are done.`,
  ),

  // decoding and parsing its text
  tooLong: template(
    'import_unreadable',
    (v: { bytes: number; maxBytes: number }) =>
      `The document has ${v.bytes} bytes, more than the ${v.maxBytes} that can be imported.`,
  ),
  tooLongDecompressed: template(
    'import_unreadable',
    (v: { maxBytes: number }) => `The document is larger than ${v.maxBytes} bytes when decompressed.`,
  ),
  notGzip: template('import_unreadable', 'The document looks like gzip but cannot be decompressed.'),
  empty: template('import_unreadable', 'The document is empty.'),
  notYaml: template(
    'import_unreadable',
    (v: { reason: string; where: string }) => `The document is not valid YAML: ${v.reason} at ${v.where}.`,
  ),
  tooManyAliases: template(
    'import_unreadable',
    (v: { max: number }) => `The document has more than ${v.max} YAML aliases.`,
  ),
  aliasesNotExpanded: template(
    'import_unreadable',
    (v: { reason: string }) => `The document's YAML aliases cannot be expanded: ${v.reason}.`,
  ),
  tooDeep: template(
    'import_unreadable',
    (v: { maxDepth: number }) => `The document is nested deeper than ${v.maxDepth} levels.`,
  ),
  tooManyValues: template(
    'import_unreadable',
    (v: { max: number }) => `The document has more than ${v.max} values.`,
  ),
  notJson: template(
    'import_unreadable',
    (v: { reason: string; where: string }) => `The document is not valid JSON: ${v.reason} ${v.where}.`,
  ),
  readingStopped: template('import_unreadable', 'Reading the document was stopped.'),
  tookTooLong: template(
    'import_unreadable',
    (v: { seconds: number }) => `Reading the document took longer than ${v.seconds} seconds; it was stopped.`,
  ),
  tookTooMuchMemory: template(
    'import_unreadable',
    (v: { megabytes: number }) =>
      `Reading the document needs more than ${v.megabytes} MB of memory; it was stopped.`,
  ),
  canceled: template('cancelled', 'The import was canceled.'),

  // reading it
  otherFormat: template('import_unreadable', (v: { problem: string }) => v.problem),
  noOpenApiInFolder: template('import_unreadable', 'No file in the folder is an OpenAPI document.'),
  nothingToImport: template('import_unreadable', 'There is nothing to import.'),
  nestedTooDeeply: template('import_unreadable', 'The document is nested too deeply to be read.'),
  severalRoots: template(
    'import_unreadable',
    (v: { files: string }) => `Several files could be the main document (${v.files}): name one.`,
  ),
  exportInvalid: template(
    'import_unreadable',
    (v: { reason: string }) => `The export cannot be read: ${v.reason}.`,
  ),
  overlaysNeedOpenApi: template(
    'invalid_input',
    'Overlays apply to OpenAPI documents only, and this is not one: import it without them.',
  ),
  curlWithoutAddress: template('import_unreadable', 'The cURL commands name no address to call.'),
  curlAddressInvalid: template(
    'import_unreadable',
    (v: { address: string }) => `${v.address} is not an address that curl could call.`,
  ),
  curlSchemeNotAllowed: template(
    'import_unreadable',
    (v: { scheme: string }) => `Only http and https can be imported, not ${v.scheme}`,
  ),
  harWithoutRequests: template(
    'import_unreadable',
    'The HAR contains no request that an API could have answered.',
  ),
  readerFailed: template('internal', 'The document could not be read because of an error in Handrail.'),

  // planning
  severalApis: template(
    'invalid_input',
    (v: { count: number; hosts: string }) =>
      `The document describes ${v.count} APIs, but a single one was named: ${v.hosts}. Choose one by its host (--host on the command line), or import them all without naming one.`,
  ),
  unknownHost: template(
    'invalid_input',
    (v: { host: string; hosts: string }) => `The document has nothing for the host ${v.host}: ${v.hosts}.`,
  ),
  tooManyOperations: template(
    'invalid_input',
    (v: { count: number; max: number }) =>
      `The document has ${v.count} operations, but one import accepts at most ${v.max}. Select some of them by tag, path, method or name.`,
  ),
  documentNotFound: template(
    'import_unreadable',
    (v: { address: string; tried: number; said: string }) =>
      `No API description was found at ${v.address}${v.said} (${v.tried} addresses tried). Give the URL or file of its OpenAPI document.`,
  ),
  selectsNothing: template(
    'invalid_input',
    (v: { term: string }) =>
      `"${v.term}" is not a valid selection: use tag:NAME, method:GET, path:/users/*, kind:read or name:list*.`,
  ),
  nothingPending: template(
    'conflict',
    (v: { tool: string }) => `Nothing about the tool ${v.tool} is waiting for approval.`,
  ),

  // imports that run on their own
  jobNotFound: template(
    'not_found',
    (v: { id: string }) =>
      `There is no import "${v.id}". Imports are kept for a day after their last change: start it again.`,
  ),
  jobUnreadable: template(
    'import_unreadable',
    'The stored document of this import can no longer be opened, because the master key has changed. Start it again.',
  ),
  jobGivenUp: template(
    'import_unreadable',
    (v: { maxStarts: number }) =>
      `The gateway stopped ${v.maxStarts} times while it ran this import, so it was not started again. Start it again with fewer operations, or look into the log.`,
  ),
  jobAlreadyApplied: template(
    'conflict',
    'This import is being added or was added already. Start another one to change it.',
  ),
  jobChanged: template('conflict', 'Someone else has changed this import in the meantime. Load it again.'),
  jobBeingApplied: template(
    'conflict',
    'The tools of this import are being added, which can no longer be canceled. Delete the API afterwards to undo it.',
  ),
};
