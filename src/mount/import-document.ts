import type { Api } from '../domain/api.ts';
import type { ApiDescription, ImportNote } from '../domain/description.ts';
import { mountErrors } from '../domain/error-messages/mount.ts';
import { HandrailError, toHandrailError } from '../domain/errors.ts';
import { importErrors } from '../domain/error-messages/import.ts';
import type { Tool } from '../domain/tool.ts';
import { slugFrom } from '../lib/text/slug.ts';
import { readOpenApi } from '../import/formats/openapi/read-openapi.ts';
import { planImport } from '../import/plan/plan.ts';
import { readSelection } from '../import/plan/select.ts';
import { examine } from '../import/reading/examine.ts';
import { decodeText, parseText } from '../import/reading/read-text.ts';
import { isOpenApi } from '../openapi/read-document.ts';

/** How a document becomes tools. */
export interface ImportDocumentOptions {
  /**
   * Which operations become tools: `tag:public`, `method:GET`, `path:/users/*`, `kind:read`, or the name of a tool or
   * operation, `*` matching anything. Of several terms of one kind one must match, of each kind at least one.
   */
  readonly select?: readonly string[];
  /** Only operations that read. */
  readonly readOnly?: boolean;
  /** A name for the API, instead of the document's title. */
  readonly name?: string;
  /** Where its paths begin, such as `https://api.example.com/v1`; the origin only shows in `request.url`. */
  readonly baseUrl?: string;
}

/** A document as tools: plain data, to look at or to compile. */
export interface ImportedDocument {
  readonly api: Api;
  readonly tools: readonly Tool[];
  /** What was read differently than the document says, or left out; `at` is a JSON Pointer into it. */
  readonly notes: readonly ImportNote[];
}

/** Where the app is for its own calls; nothing is sent there. */
const inProcess = 'http://localhost';

/**
 * Reads an OpenAPI 3 or Swagger 2 document, as an object or as the text of JSON or YAML. `before` is an earlier
 * version of the same document: its tools keep their ids and names.
 */
export async function importDocument(
  document: object | string | Uint8Array,
  options: ImportDocumentOptions = {},
  before?: ImportedDocument,
): Promise<ImportedDocument> {
  const description = describe(document);
  const { select = [], readOnly = false, name } = options;
  const chosen = readSelection(select);
  const selection = readOnly ? { ...chosen, kinds: ['read' as const] } : chosen;
  const baseUrl = options.baseUrl ?? inProcess + pathOf(description.baseUrls[0]);
  const plan = await planImport(
    atHome(description, baseUrl),
    {
      api: before?.api ?? null,
      tools: before?.tools ?? [],
      isSlugTaken: () => false,
      isNameHeld: () => false,
    },
    {
      slug: slugFrom(name ?? description.name),
      documentHash: '',
      nowMs: Date.now(),
      baseUrl,
      // What the app asks of its callers reaches it as they sent it, for the headers that were named.
      auth: { kind: 'none' },
      ...(name !== undefined && { name }),
      ...(selection && { selection }),
    },
  );
  const changed = new Map([...plan.changed, ...plan.removed].map(({ tool }) => [tool.id, tool]));
  const tools = [
    ...(before?.tools ?? []).map((tool) => changed.get(tool.id) ?? tool),
    ...plan.added.map(({ tool }) => tool),
  ].filter((tool) => tool.source?.standing !== 'gone');
  if (tools.length === 0) throw mountErrors.noOperations({ operations: description.operations.length });
  return { api: plan.api, tools, notes: [...plan.notes, ...plan.report.flatMap(({ notes }) => notes)] };
}

function describe(document: object | string | Uint8Array): ApiDescription {
  try {
    const isText = typeof document === 'string' || document instanceof Uint8Array;
    const value: unknown = isText ? parseText(decodeText(document)).value : document;
    if (!isOpenApi(value)) throw mountErrors.noOpenApi();
    const root = 'openapi.json';
    return examine(
      readOpenApi(value, {
        root,
        files: new Map([[root, value]]),
        documentUrl: `${inProcess}/${root}`,
        onProgress: () => {},
      }),
    );
  } catch (error) {
    if (error instanceof HandrailError) throw error;
    if (error instanceof RangeError) throw importErrors.nestedTooDeeply({}, { cause: error });
    throw toHandrailError(error);
  }
}

function pathOf(baseUrl: string | undefined): string {
  const pathname = baseUrl === undefined ? '' : new URL(baseUrl).pathname;
  let end = pathname.length;
  while (end > 0 && pathname[end - 1] === '/') end--;
  return pathname.slice(0, end);
}

/** The description with operations at any of its own servers moved to the app, which is what answers there. */
function atHome(description: ApiDescription, baseUrl: string): ApiDescription {
  const origins = new Set(description.baseUrls.map((url) => new URL(url).origin));
  const { origin } = new URL(baseUrl);
  const { serverTemplate: _variables, ...rest } = description;
  return {
    ...rest,
    baseUrls: [],
    operations: description.operations.map((operation) => {
      const own = operation.content?.operation.baseUrl;
      if (!operation.content || own === undefined || !origins.has(new URL(own).origin)) return operation;
      const moved = origin + pathOf(own);
      return {
        ...operation,
        content: {
          ...operation.content,
          operation: { ...operation.content.operation, baseUrl: moved },
        },
      };
    }),
  };
}
