import type { ApiSource } from '../../domain/api.ts';
import { isOpenApi } from '../../openapi/read-document.ts';
import type { ParsedImport, ReadContext } from '../reading/parsed-import.ts';
import { isCurl, readCurl } from './curl/from-curl.ts';
import { readOpenApi } from './openapi/read-openapi.ts';
import { isHandrail, readHandrail } from './handrail/from-handrail.ts';
import { isHandsai, readHandsai } from './handsai/from-handsai.ts';
import { isHar, readHar } from './har/from-har.ts';
import { isPostman, readPostman } from './postman/from-postman.ts';

/** What a document of some format describes. */
type Described = Pick<ParsedImport, 'apis' | 'servers'>;

/** A format that can be imported. It is detected by content, not by file name. */
interface ImportFormat<Document> {
  readonly kind: ApiSource['kind'];
  /** The name used in messages. */
  readonly name: string;
  /** Reads a document; null if it is in another format. */
  readonly read: (document: Document, context: ReadContext) => Described | null;
}

/** Formats that are neither JSON nor YAML. */
export const textFormats: readonly ImportFormat<string>[] = [
  {
    kind: 'curl',
    name: 'cURL commands',
    read: (text) => (isCurl(text) ? { apis: [readCurl(text)] } : null),
  },
];

/** Formats that are JSON or YAML; the first match wins. */
export const valueFormats: readonly ImportFormat<unknown>[] = [
  {
    kind: 'openapi',
    name: 'OpenAPI and Swagger 2.0',
    read: (value, context) => (isOpenApi(value) ? { apis: [readOpenApi(value, context)] } : null),
  },
  {
    kind: 'handrail',
    name: 'Handrail exports',
    read: (value) => (isHandrail(value) ? readHandrail(value) : null),
  },
  {
    kind: 'postman',
    name: 'Postman collections 2.0 and 2.1',
    read: (value) => (isPostman(value) ? { apis: [readPostman(value)] } : null),
  },
  { kind: 'har', name: 'HAR', read: (value) => (isHar(value) ? { apis: readHar(value) } : null) },
  {
    kind: 'handsai',
    name: 'HandsAI exports',
    read: (value) => (isHandsai(value) ? { apis: readHandsai(value) } : null),
  },
];
