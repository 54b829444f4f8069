import { createHash } from 'node:crypto';
import type { ApiDescription, DescribedOperation, ImportNote } from '../../domain/description.ts';
import { HandrailError, toHandrailError } from '../../domain/errors.ts';
import { isObject, textOr } from '../../lib/json/plain-object.ts';
import { isOpenApi, readDocument } from '../../openapi/read-document.ts';
import { checkRequest } from '../../pipeline/compile.ts';
import { isCurl, readCurl } from '../formats/curl/from-curl.ts';
import { isHandrail, readHandrail } from '../formats/handrail/from-handrail.ts';
import { isHandsai, readHandsai } from '../formats/handsai/from-handsai.ts';
import { isHar, readHar } from '../formats/har/from-har.ts';
import { isPostman, readPostman } from '../formats/postman/from-postman.ts';
import type { ImportFile, ImportInput, ImportProgress, ParsedImport } from './parsed-import.ts';
import { unsetBaseUrl } from '../plan/plan-api.ts';
import { portabilityNote } from '../plan/portability.ts';
import { decodeText, parseText } from './read-text.ts';

/** Reads any description; its kind is told from its content. Runs in the import's own thread. */
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
    if (error instanceof RangeError)
      throw new HandrailError(
        'import_unreadable',
        'The document is nested too deeply to be read.',
        {},
        { cause: error },
      );
    throw toHandrailError(error);
  }
}

/** Looks at what every kind of document came to: can it be called, and which clients can read it? */
function examine(api: ApiDescription): ApiDescription {
  return { ...api, operations: api.operations.map(examineOperation) };
}

function examineOperation(operation: DescribedOperation): DescribedOperation {
  if (!operation.content) return operation;
  try {
    checkRequest({ baseUrl: unsetBaseUrl, headers: {} }, operation.content.operation);
  } catch (error) {
    const why = toHandrailError(error).message.replace(/^The tool cannot be saved: /, '');
    const note = { code: 'not_callable', message: `No request can be built: ${why}`, at: operation.at };
    return { ...operation, content: null, notes: [...operation.notes, note] };
  }
  const note = portabilityNote(operation.content, operation.at);
  return note ? { ...operation, notes: [...operation.notes, note] } : operation;
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
  if (input.files.length === 0) throw new HandrailError('import_unreadable', 'There is nothing to import.');
  const progress = (done: number, total: number) => onProgress({ done, total });
  if (input.files.length === 1) {
    const [file] = input.files;
    const text = decodeText(file!.content);
    if (isCurl(text)) return { kind: 'curl', apis: [readCurl(text)] };
    const { value, notes } = parseText(text);
    const read = readValue(value, file!.name, new Map([[file!.name, value]]), input, progress);
    return { ...read, apis: read.apis.map((api) => withNotes(api, notes)) };
  }
  return parseBundle(input, progress);
}

// Other files are only read as JSON or YAML when they look like it: a folder holds pictures and notes as well.
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
    throw new HandrailError(
      'import_unreadable',
      roots.length > 1
        ? `Several files could be the one to begin with (${roots.slice(0, 5).join(', ')}): name one.`
        : 'No file of the folder is an OpenAPI document.',
    );
  }
  const read = readValue(files.get(root), root, files, input, progress);
  return { ...read, apis: read.apis.map((api) => withNotes(api, notes)) };
}

function readValue(
  value: unknown,
  root: string,
  files: ReadonlyMap<string, unknown>,
  input: ImportInput,
  onProgress: (done: number, total: number) => void,
): Omit<ParsedImport, 'documentHash'> {
  if (isOpenApi(value)) {
    return {
      kind: 'openapi',
      apis: [
        readDocument(
          { root, files },
          { onProgress, ...(input.documentUrl !== undefined && { documentUrl: input.documentUrl }) },
        ),
      ],
    };
  }
  if (isHandrail(value)) return { kind: 'handrail', ...readHandrail(value) };
  if (isPostman(value)) return { kind: 'postman', apis: [readPostman(value)] };
  if (isHar(value)) return { kind: 'har', apis: readHar(value) };
  if (isHandsai(value)) return { kind: 'handsai', apis: readHandsai(value) };
  throw new HandrailError('import_unreadable', unknownKind(value));
}

function unknownKind(value: unknown): string {
  const known =
    'OpenAPI, Swagger 2.0, Postman collections 2.0 and 2.1, HAR, cURL commands, HandsAI and Handrail exports can be imported';
  if (typeof value === 'string' && /^\s*</.test(value))
    return `This is a web page or XML, not a description of an API (is it the address of the document itself?): ${known}.`;
  if (typeof value === 'string') return `The document is plain text, not a description of an API: ${known}.`;
  if (isObject(value) && value['swaggerVersion'] !== undefined)
    return `Swagger ${textOr(value['swaggerVersion']) ?? '1'} is too old to be read; convert it to OpenAPI 3 first.`;
  if (isObject(value) && Array.isArray(value['requests']) && value['order'] !== undefined)
    return 'This is a Postman collection of version 1; export it from Postman as version 2.1.';
  if (isObject(value) && value['_postman_variable_scope'] !== undefined)
    return 'This is a Postman environment, which only holds variables: import the collection.';
  if (isObject(value) && value['asyncapi'] !== undefined)
    return `This is an AsyncAPI document, which describes messages, not requests: ${known}.`;
  return `The document is not a kind that can be read: ${known}.`;
}

function withNotes(api: ApiDescription, texts: readonly string[]): ApiDescription {
  if (texts.length === 0) return api;
  const notes: ImportNote[] = texts.slice(0, 20).map((message) => ({ code: 'text_irregular', message }));
  return { ...api, notes: [...api.notes, ...notes] };
}
