import { template } from '../errors.ts';

/** What can go wrong when an OpenAPI document or an overlay is read. */
export const openapiErrors = {
  notAnObject: template(
    'import_unreadable',
    'The document is not an object: an OpenAPI document starts with "openapi" or "swagger".',
  ),
  versionNotSupported: template(
    'import_unreadable',
    (v: { version: string }) =>
      `The document has version ${v.version}, which is not supported: Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 are.`,
  ),
  tooManyOperations: template(
    'import_unreadable',
    (v: { count: number; max: number }) =>
      `The document has ${v.count} operations, more than the ${v.max} that can be imported: split it into several documents.`,
  ),
  overlayInvalid: template(
    'import_unreadable',
    (v: { overlay: string; reason: string }) => `The overlay ${v.overlay} cannot be applied: ${v.reason}.`,
  ),
  actionNotApplicable: template(
    'import_unreadable',
    (v: { action: string; reason: string }) => `${v.action} cannot be applied: ${v.reason}`,
  ),
};
