import type { DocumentOverlay } from '../../../domain/api.ts';
import type { ApiDescription, ImportNote } from '../../../domain/description.ts';
import { objectOr, textOr } from '../../../lib/json/plain-object.ts';
import { slugFrom } from '../../../lib/text/slug.ts';
import { applyOverlay } from '../../../openapi/overlay/apply-overlay.ts';
import { readOverlay } from '../../../openapi/overlay/read-overlay.ts';
import { readDocument } from '../../../openapi/read-document.ts';
import { parseText } from '../../reading/read-text.ts';
import type { ReadContext } from '../../reading/parsed-import.ts';

/** Reads an OpenAPI or Swagger document, with the overlays that belong to it applied. */
export function readOpenApi(document: unknown, context: ReadContext): ApiDescription {
  const { root, documentUrl, onProgress } = context;
  let changed = document;
  const notes: ImportNote[] = [];
  for (const { name, text } of overlaysOf(document, context)) {
    const applied = applyOverlay(changed, readOverlay(parseText(text).value, name));
    changed = applied.document;
    notes.push(...applied.notes);
  }
  const files = changed === document ? context.files : new Map([...context.files, [root, changed]]);
  const api = readDocument(
    { root, files },
    { onProgress, ...(documentUrl !== undefined && { documentUrl }) },
  );
  return notes.length === 0 ? api : { ...api, notes: [...api.notes, ...notes] };
}

function overlaysOf(document: unknown, { overlays, keptOverlays }: ReadContext): readonly DocumentOverlay[] {
  if (overlays !== undefined) return overlays;
  const title = textOr(objectOr(objectOr(document)['info'])['title']);
  const slug = title === undefined ? '' : slugFrom(title.trim());
  return keptOverlays !== undefined && Object.hasOwn(keptOverlays, slug) ? keptOverlays[slug]! : [];
}
