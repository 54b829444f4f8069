import { createHash } from 'node:crypto';
import type { ApiDescription, ImportNote } from '../../domain/description.ts';
import { importErrors } from '../../domain/error-messages/import.ts';
import { HandrailError, toHandrailError } from '../../domain/errors.ts';
import { isOpenApi } from '../../openapi/read-document.ts';
import { examine } from './examine.ts';
import { textFormats, valueFormats } from '../formats/formats.ts';
import type { ReadContext, ImportFile, ImportInput, ImportProgress, ParsedImport } from './parsed-import.ts';
import { otherFormatOfText, otherFormatOfValue, unknownFormat } from '../formats/other-formats.ts';
import { decodeText, parseText } from './read-text.ts';

/** Reads a description of any format, detected from its content. Runs in the import's worker thread. */
export function parseImport(
  handed: ImportInput,
  onProgress: (progress: ImportProgress) => void = () => {},
): ParsedImport {
  const hash = createHash('sha256');
  const input = { ...handed, files: handed.files.map(decodeFile) };
  for (const file of input.files.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    hash.update(file.name === input.root || input.files.length === 1 ? '' : file.name).update(file.content);
  const documentHash = hash.digest('hex');
  try {
    const parsed = parse(input, onProgress);
    return { ...parsed, documentHash, apis: parsed.apis.map(examine) };
  } catch (error) {
    if (error instanceof RangeError) throw importErrors.nestedTooDeeply({}, { cause: error });
    throw toHandrailError(error);
  }
}

function decodeFile({ name, content, isBase64 }: ImportFile): ImportFile {
  if (!isBase64) return { name, content };
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1');
  return { name, content: Buffer.from(text, 'base64') };
}

function parse(
  input: ImportInput,
  onProgress: (progress: ImportProgress) => void,
): Omit<ParsedImport, 'documentHash'> {
  if (input.files.length === 0) throw importErrors.nothingToImport();
  const progress = (done: number, total: number) => onProgress({ done, total });
  if (input.files.length > 1) return parseBundle(input, progress);
  const [file] = input.files;
  const text = decodeText(file!.content);
  const context = { ...input, root: file!.name, onProgress: progress };
  for (const { kind, read } of textFormats) {
    const described = read(text, { ...context, files: new Map([[file!.name, text]]) });
    if (described !== null) return withoutOverlays({ kind, ...described }, context);
  }
  const other = otherFormatOfText(text);
  if (other !== null) throw importErrors.otherFormat({ problem: other });
  const { value, notes } = parseText(text);
  const parsed = readValue(value, { ...context, files: new Map([[file!.name, value]]) });
  return { ...parsed, apis: parsed.apis.map((api) => withNotes(api, notes)) };
}

// Files are only parsed if they look like JSON or YAML: a folder may contain pictures and notes as well.
function parseBundle(
  input: ImportInput,
  progress: (done: number, total: number) => void,
): Omit<ParsedImport, 'documentHash'> {
  const files = new Map<string, unknown>();
  const notes: string[] = [];
  for (const { name, content } of input.files) {
    if (name !== input.root && !/\.(ya?ml|json)$/i.test(name)) continue;
    try {
      const read = parseText(decodeText(content));
      files.set(name, read.value);
      notes.push(...read.notes.map((note) => `${name}: ${note}`));
    } catch (error) {
      if (name === input.root) throw error;
      notes.push(`${name}: ${toHandrailError(error).message}`);
    }
  }
  const roots = [...files].filter(([, value]) => isOpenApi(value)).map(([name]) => name);
  const root =
    input.root ??
    (roots.length === 1
      ? roots[0]
      : roots.find((name) => /(^|\/)(openapi|swagger|index|main|root)\.\w+$/i.test(name)));
  if (root === undefined || !files.has(root)) {
    throw roots.length > 1
      ? importErrors.severalRoots({ files: roots.slice(0, 5).join(', ') })
      : noDocumentError(input.files);
  }
  const parsed = readValue(files.get(root), { ...input, root, files, onProgress: progress });
  return { ...parsed, apis: parsed.apis.map((api) => withNotes(api, notes)) };
}

function noDocumentError(files: readonly ImportFile[]): HandrailError {
  const problem = otherFormatIn(files);
  return problem === null ? importErrors.noOpenApiInFolder() : importErrors.otherFormat({ problem });
}

// Any file can reveal the format of a folder exported by another program.
function otherFormatIn(files: readonly ImportFile[]): string | null {
  for (const { content } of files.slice(0, 50)) {
    const found = otherFormatOfText(decodeText(content));
    if (found !== null) return found;
  }
  return null;
}

const known = [...valueFormats, ...textFormats].map(({ name }) => name);

function readValue(value: unknown, context: ReadContext): Omit<ParsedImport, 'documentHash'> {
  for (const { kind, read } of valueFormats) {
    const described = read(value, context);
    if (described !== null) return withoutOverlays({ kind, ...described }, context);
  }
  throw importErrors.otherFormat({ problem: otherFormatOfValue(value) ?? unknownFormat(value, known) });
}

function withoutOverlays<T extends Pick<ParsedImport, 'kind'>>(
  parsed: T,
  { overlays }: Pick<ReadContext, 'overlays'>,
): T {
  if (parsed.kind !== 'openapi' && overlays !== undefined && overlays.length > 0)
    throw importErrors.overlaysNeedOpenApi();
  return parsed;
}

function withNotes(api: ApiDescription, texts: readonly string[]): ApiDescription {
  if (texts.length === 0) return api;
  const notes: ImportNote[] = texts.slice(0, 20).map((message) => ({ code: 'text_irregular', message }));
  return { ...api, notes: [...api.notes, ...notes] };
}
