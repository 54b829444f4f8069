import { template } from '../errors.ts';

/** What can go wrong on the command line. */
export const cliErrors = {
  adminTokenMissing: template(
    'config_invalid',
    (v: { url: string }) =>
      `You are not signed in to ${v.url}. Run "handrail login ${v.url}", or set HANDRAIL_ADMIN_TOKEN (or --admin-token).`,
  ),
  loginExpired: template(
    'unauthenticated',
    'No one agreed to this login in time, or it was declined. Run "handrail login" again.',
  ),
  gatewayUnreachable: template(
    'unavailable',
    (v: { url: string }) =>
      `No gateway responds at ${v.url}. Check that it is running and that the URL is right.`,
  ),
  gatewayFailed: template(
    'internal',
    (v: { status: number }) => `The gateway responded with HTTP ${v.status}.`,
  ),
  notAGateway: template('unavailable', 'The server at this URL is not a Handrail gateway.'),
  downloadIncomplete: template(
    'unavailable',
    (v: { handle: string }) =>
      `The call was made, but the download of its file was incomplete, so nothing was written. The gateway keeps the file for a while as ${v.handle}.`,
  ),
  personNotFound: template(
    'not_found',
    (v: { reference: string }) => `There is no one named "${v.reference}". "handrail people" lists everyone.`,
  ),
  personAmbiguous: template(
    'conflict',
    (v: { reference: string }) =>
      `Several people are named "${v.reference}". Use the ID that "handrail people" lists.`,
  ),
  invalidOption: template(
    'invalid_request',
    (v: { option: string; problem: string }) => `--${v.option}: ${v.problem}.`,
  ),
  noStore: template(
    'store_unreadable',
    (v: { dataDir: string }) =>
      `There is no store in ${v.dataDir}. "handrail serve" or "handrail import" creates one; use --data-dir for another folder, or --url for a running gateway.`,
  ),
  // serving one document
  documentWithoutTools: template(
    'import_unreadable',
    (v: { document: string; why: string }) =>
      `${v.document} has no operation that can be a tool with these options: ${v.why}.`,
  ),
  documentOnlyHere: template(
    'config_invalid',
    'A document is served to this machine only. To serve others, use "handrail import" and "handrail serve".',
  ),
  credentialNotNeeded: template(
    'invalid_request',
    'The document names no authentication for its credential: add --auth bearer, basic, header:NAME, query:NAME or cookie:NAME.',
  ),
  credentialFields: template(
    'invalid_request',
    (v: { kind: string; fields: string }) =>
      `Authentication "${v.kind}" needs several values: give the credential as a JSON object with ${v.fields}${v.kind === 'basic' ? ', or as USER:PASSWORD' : ''}.`,
  ),
  // reading what to import
  fileNotFound: template('import_unreadable', (v: { path: string }) => `There is no file ${v.path}.`),
  folderNotFound: template('import_unreadable', (v: { path: string }) => `There is no folder ${v.path}.`),
  overlayNotFound: template(
    'import_unreadable',
    (v: { path: string }) => `The overlay file ${v.path} cannot be read.`,
  ),
  tooManyReferences: template(
    'import_unreadable',
    (v: { maxFiles: number; maxMb: number }) =>
      `The document refers to more files than can be imported (${v.maxFiles} files, ${v.maxMb} MB).`,
  ),
  tooManyDocuments: template(
    'import_unreadable',
    (v: { path: string; max: number }) => `The folder ${v.path} has more than ${v.max} documents.`,
  ),
};
