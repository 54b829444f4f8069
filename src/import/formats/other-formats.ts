import { isOverlay } from '../../openapi/overlay/read-overlay.ts';
import { arrayOr, isObject, objectOr, textOr, wordOf } from '../../lib/json/plain-object.ts';

const converter = 'convert it to OpenAPI 3 (the npm package api-spec-converter reads it) and import that';

/** A common format that Handrail does not read: its name, and what to do instead. */
interface OtherFormat {
  readonly name: string;
  readonly instead: string;
  /** Detects it from the beginning of a text, or from the parsed value. */
  readonly inText?: (head: string, lines: readonly string[]) => boolean;
  readonly inValue?: (value: Readonly<Record<string, unknown>>) => boolean;
}

/** Whether the root element of an XML text has this local name, and its attributes contain this word. */
function rootTag(head: string, name: RegExp, word: string): boolean {
  if (!head.startsWith('<')) return false;
  for (let at = head.indexOf('<'); at >= 0; at = head.indexOf('<', at + 1)) {
    const next = head[at + 1];
    if (next === '?' || next === '!') continue;
    const tag = head.slice(at + 1, head.indexOf('>', at)).toLowerCase();
    const local = tag.split(/[\s/]/, 1)[0]!.split(':').at(-1)!;
    return name.test(local) && tag.includes(word);
  }
  return false;
}

const someLine = (lines: readonly string[], pattern: RegExp): boolean =>
  lines.some((line) => pattern.test(line));

/** `[{ "type": "function", "function": { "name": …, "parameters": … } }]`, or only the inner objects. */
function isToolList(list: unknown): boolean {
  const [first] = arrayOr(list);
  const tool = objectOr(objectOr(first)['function'] ?? first);
  return textOr(tool['name']) !== undefined && isObject(objectOr(tool['parameters'])['properties']);
}

const formats: readonly OtherFormat[] = [
  {
    name: 'a GraphQL schema',
    instead:
      'write each query you need as a cURL command (a POST with "query" and "variables") and import those',
    inText: (_head, lines) =>
      someLine(
        lines,
        /^(?:extend )?(?:(?:type|interface|input|enum|union|scalar|directive) @?[A-Za-z_]|schema\b)/,
      ) &&
      lines.some((line) => line.startsWith(' ') && line.includes(': ')) &&
      someLine(lines, /^\}/),
    inValue: (value) =>
      isObject(value['__schema']) || (isObject(value['data']) && isObject(value['data']['__schema'])),
  },
  {
    name: 'a protocol buffer definition (gRPC)',
    instead:
      'put a REST gateway such as grpc-gateway in front of the service and import the OpenAPI document it generates',
    inText: (_head, lines) =>
      someLine(lines, /^\s*syntax\s*=\s*["']proto[23]["']/) || someLine(lines, /^\s*rpc\s+\w+\s*\(/),
  },
  {
    name: 'an AsyncAPI document, which describes messages, not requests',
    instead: 'import the OpenAPI document of the same service, or the requests you need as cURL commands',
    inValue: (value) => value['asyncapi'] !== undefined,
  },
  {
    name: 'a WSDL description of a SOAP service',
    instead: 'import the calls you need as cURL commands or as a HAR recording',
    inText: (head) => rootTag(head, /^(?:definitions|description)$/, 'wsdl'),
  },
  {
    name: 'a WADL description',
    instead: converter,
    inText: (head) => rootTag(head, /^application$/, 'wadl'),
  },
  {
    name: 'OData metadata',
    instead: 'convert it to OpenAPI 3 (Microsoft’s odata-openapi and OpenAPI.NET.OData do) and import that',
    inText: (head) => rootTag(head, /^edmx$/, ''),
  },
  {
    name: 'a RAML document',
    instead: converter,
    inText: (head) => head.startsWith('#%RAML'),
  },
  {
    name: 'an API Blueprint document',
    instead: converter,
    inText: (head, lines) =>
      /^FORMAT: ?1A/i.test(head) ||
      (someLine(lines, /^#{1,6} [^[]*\[?(?:GET|POST|PUT|PATCH|DELETE)\b/) &&
        someLine(lines, /^\s*[+*-] Response \d{3}\b/)),
  },
  {
    name: 'an Insomnia export',
    instead: 'export the collection from Insomnia as HAR and import that',
    inValue: (value) =>
      value['__export_format'] !== undefined || /insomnia/i.test(wordOf(value['type'] ?? '')),
  },
  {
    name: 'a Bruno request or collection',
    instead: 'export the collection from Bruno as a Postman collection and import that',
    inText: (_head, lines) =>
      someLine(lines, /^meta \{$/) &&
      someLine(lines, /^(?:get|post|put|patch|delete|head|options|http|headers|auth|vars) ?(?::\w+ )?\{$/),
    inValue: (value) =>
      value['type'] === 'collection' &&
      textOr(value['version']) !== undefined &&
      !Array.isArray(value['item']),
  },
  {
    name: 'a file of HTTP requests (.http)',
    instead:
      'copy each request as a cURL command, which editors that run such files can do, and import those',
    inText: (_head, lines) => {
      const first = lines.find((line) => line.trim() !== '' && !/^\s*(?:#|\/\/|@\w)/.test(line));
      return (
        first !== undefined &&
        /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?:https?:\/\/|\{\{|\/)\S*(?: HTTP\/[\d.]+)?$/.test(
          first,
        )
      );
    },
  },
  {
    name: 'a Google API discovery document',
    instead: `use the OpenAPI document of the same API (the openapi-directory of apis.guru has them), or ${converter}`,
    inValue: (value) =>
      wordOf(value['kind'] ?? '').startsWith('discovery#') || value['discoveryVersion'] !== undefined,
  },
  {
    name: 'a Smithy model',
    instead: 'generate OpenAPI 3 from it with Smithy (smithy-openapi) and import that',
    inText: (_head, lines) => someLine(lines, /^\$version: ?"[12]/),
    inValue: (value) => value['smithy'] !== undefined,
  },
  {
    name: 'a TypeSpec file',
    instead: 'generate OpenAPI 3 from it with TypeSpec (@typespec/openapi3) and import that',
    inText: (_head, lines) => someLine(lines, /^(?:import|using) "?@?typespec/i),
  },
  {
    name: 'an OpenRPC document, which describes JSON-RPC',
    instead: 'import the calls you need as cURL commands',
    inValue: (value) => value['openrpc'] !== undefined,
  },
  {
    name: 'an Arazzo document, which describes steps over other APIs',
    instead: 'import the OpenAPI documents that it names',
    inValue: (value) => value['arazzo'] !== undefined,
  },
  {
    name: 'an overlay, which changes an OpenAPI document',
    instead: 'import the document together with the overlay (--overlay on the command line)',
    inValue: isOverlay,
  },
  {
    name: 'a ZIP archive',
    instead: 'unpack it and import the description in it, with --bundle for a folder of files',
    inText: (head) => head.startsWith('PK\u0003\u0004'),
  },
  {
    name: 'a PDF document',
    instead: 'look for the OpenAPI document of the API, or import the calls you need as cURL commands',
    inText: (head) => head.startsWith('%PDF-'),
  },
  {
    name: 'a k6 script',
    instead: 'record the requests as HAR, or convert the script to a Postman collection, and import that',
    inText: (_head, lines) => someLine(lines, /^import\s.*\bfrom\s+["']k6(?:\/[\w/-]+)?["']/),
  },
  {
    name: 'a Paw (RapidAPI) file',
    instead: 'export it from Paw as OpenAPI 3 or as cURL commands and import that',
    inText: (head) => /luckymarmot|com\.luckymarmot\.paw/i.test(head.slice(0, 2_000)),
    inValue: (value) =>
      /luckymarmot|\bpaw\b/i.test(wordOf(objectOr(value['_generator'])['name'] ?? value['generator'] ?? '')),
  },
  {
    name: 'an AI plugin manifest',
    instead: 'import the OpenAPI document whose URL is in its "api" field',
    inValue: (value) => value['name_for_model'] !== undefined || value['description_for_model'] !== undefined,
  },
  {
    name: 'a list of OpenAI tools, which names functions but no requests',
    instead: 'import the OpenAPI document of the API behind them, or the calls you need as cURL commands',
    inValue: (value) => isToolList(value['tools'] ?? value['functions'] ?? [value]),
  },
  {
    name: 'a Postman collection of version 1',
    instead: 'export it from Postman as version 2.1',
    inValue: (value) => Array.isArray(value['requests']) && value['order'] !== undefined,
  },
  {
    name: 'a Postman environment, which only contains variables',
    instead: 'import the collection',
    inValue: (value) => value['_postman_variable_scope'] !== undefined,
  },
];

const headLength = 20_000;

/** Says which format a text has and what to do instead; null if it may be one that can be imported. */
export function otherFormatOfText(text: string): string | null {
  const head = text.slice(0, headLength).trimStart();
  // What looks like JSON is detected by its value.
  if (head.startsWith('{') || head.startsWith('[')) return null;
  const lines = head.split('\n').map((line) => line.trimEnd());
  if (someLine(lines, /^["']?(?:openapi|swagger)["']?\s*:/)) return null;
  return sentence(formats.find(({ inText }) => inText?.(head, lines)));
}

/** The same for a parsed document. */
export function otherFormatOfValue(value: unknown): string | null {
  if (Array.isArray(value)) return otherFormatOfValue({ tools: value });
  return isObject(value) ? sentence(formats.find(({ inValue }) => inValue?.(value))) : null;
}

function sentence(format: OtherFormat | undefined): string | null {
  return format ? `This is ${format.name}, which cannot be imported: ${format.instead}.` : null;
}

/** The message for a document in an unknown format. `known` names the formats that can be imported. */
export function unknownFormat(value: unknown, known: readonly string[]): string {
  const imports = `${known.slice(0, -1).join(', ')} and ${known.at(-1)!} can be imported`;
  if (typeof value === 'string' && value.trimStart().startsWith('<'))
    return `This is a web page or XML, not a description of an API (is this the URL of the document itself?): ${imports}.`;
  if (typeof value === 'string')
    return `The document is plain text, not a description of an API: ${imports}.`;
  if (isObject(value) && value['swaggerVersion'] !== undefined)
    return `Swagger ${wordOf(value['swaggerVersion']) || '1'} is too old to be read; convert it to OpenAPI 3 first.`;
  return `The document is not in a format that can be imported: ${imports}.`;
}
