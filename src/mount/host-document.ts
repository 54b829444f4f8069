import { mountErrors } from '../domain/error-messages/mount.ts';
import type { HostFetch } from './open-pipeline.ts';

/** A document, its text, the path where the app serves it, or a function that returns one of these. */
export type DocumentSource =
  | object
  | string
  | Uint8Array
  | (() => object | string | Uint8Array | Promise<object | string | Uint8Array>);

const maxDocumentBytes = 64 * 1024 * 1024;

/** The document of an app: asked of the app itself if it is given as a path. */
export async function readHostDocument(
  source: DocumentSource,
  fetch: HostFetch,
): Promise<object | string | Uint8Array> {
  const given = typeof source === 'function' ? await source() : source;
  if (given === undefined || given === null) throw mountErrors.documentMissing();
  if (typeof given !== 'string') return given;
  if (/^https?:\/\//i.test(given.trimStart()) && !given.trim().includes('\n'))
    throw mountErrors.documentElsewhere({ url: given.trim().slice(0, 200) });
  if (!given.startsWith('/')) return given;
  const request = new Request(`http://localhost${given}`, {
    headers: { accept: 'application/json, application/yaml;q=0.9, */*;q=0.5' },
  });
  const response = await fetch(request, { tool: '', host: {} });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw mountErrors.documentNotServed({ path: given, status: response.status });
  }
  const content = new Uint8Array(await response.arrayBuffer());
  if (content.length > maxDocumentBytes) throw mountErrors.bodyTooLarge({ maxBytes: maxDocumentBytes });
  return content;
}
