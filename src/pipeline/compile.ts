import { parseBaseUrl } from '../domain/fields/addresses.ts';
import type { Api } from '../domain/api.ts';
import { askToAgree, carriesSecrets, unagreedOrigin } from '../domain/places/document-origins.ts';
import { pipelineErrors } from '../domain/error-messages/pipeline.ts';
import { isSealedText } from '../domain/secret-fields.ts';
import type { JsonSchema } from '../domain/json-schema.ts';
import { defaultLimits, type Limits } from '../domain/limits.ts';
import type { Operation, Parameter, ParameterPlace } from '../domain/operation.ts';
import {
  heldNames,
  type HeldNames,
  type IsHeld,
  queryWithoutSecrets,
  toolWithoutHeld,
} from '../domain/places/operator-places.ts';
import { inputSchemaOf, type Tool } from '../domain/tool.ts';
import { compileSchema, type SchemaCheck, SchemaError } from '../lib/json/json-schema.ts';
import { type AdvertisedOutput, advertisedOutput } from './reply/output-schema.ts';
import { namesItself, refuseHeldPairs } from './request/held-names.ts';
import { bodyWriter, fileValuesOf } from './request/serialize-body.ts';
import { cookieWriter, headerWriter, pairsWriter, pathWriter } from './request/serialize-parameter.ts';
import { shapes } from './reply/shape-reply.ts';
import { noStructure, type ReadStructure, structureReader } from './reply/structured-reply.ts';
import type { CompiledTool, PathPart, RequestTemplate, SavedScript, WritePairs } from './compiled-tool.ts';
import { trimEndOf } from '../lib/text/tidy-text.ts';

/**
 * Compiles a tool for calling. Runs when the registry changes, never per call. `defaults` apply where neither the API nor
 * the tool sets a limit.
 */
export function compile(
  api: Api,
  stored: Tool,
  defaults: Limits = defaultLimits,
  script: SavedScript | null = null,
): CompiledTool {
  const tool = toolWithoutHeld(api, stored);
  let inputSchema: JsonSchema | undefined;
  let output: AdvertisedOutput | null | undefined;
  let structure: ReadStructure | undefined;
  let check: SchemaCheck | undefined;
  let request: RequestTemplate | undefined;
  const advertised = (): AdvertisedOutput | null => {
    if (output === undefined)
      output = shapes(tool.reply) ? null : advertisedOutput(tool.operation.replySchema);
    return output;
  };
  // Most tools are never called between two registry changes, so each part is compiled on first use.
  return {
    tool,
    api,
    limits: { ...defaults, ...api.limits, ...tool.limits },
    apiRatePerMinute: api.limits.ratePerMinute ?? defaults.ratePerMinute,
    get inputSchema() {
      return (inputSchema ??= inputSchemaOf(tool.operation));
    },
    get outputSchema() {
      // The schema describes the whole reply, not what shaping makes of it.
      return advertised()?.schema ?? null;
    },
    structure: (text) => (structure ??= readerFor(advertised()))(text),
    get request() {
      return (request ??= {
        ...compileRequest(api, tool.operation, heldNames(api, stored.operation)),
        refusal: refusalOf(api, stored),
      });
    },
    check: (args) => (check ??= compileForCalls(inputSchemaOf(tool.operation)))(args),
    script,
  };
}

function readerFor(output: AdvertisedOutput | null): ReadStructure {
  return output === null ? noStructure : structureReader(output);
}

/** Rejects a tool whose parameters don't form a usable schema. Runs when a tool is edited. */
export function checkInputSchema(operation: Operation): void {
  try {
    compileSchema(inputSchemaOf(operation));
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const message = `do not form a valid JSON Schema: ${error.message}`;
    throw pipelineErrors.parametersNotASchema(
      { reason: message },
      { problems: [{ path: '/operation/parameters', message }] },
    );
  }
}

// A schema that turns out to be unusable fails the call, not the gateway.
function compileForCalls(schema: JsonSchema): SchemaCheck {
  try {
    return compileSchema(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason';
    return () => {
      throw pipelineErrors.inputSchemaUnusable({ reason: why });
    };
  }
}

const anyReply = 'application/json, */*;q=0.8';

// A stored credential has its own list of origins. Other secrets must not go to an origin no operator approved.
function refusalOf(api: Api, tool: Tool): string | null {
  const origin = unagreedOrigin(api, tool);
  return origin !== null && carriesSecrets(api, tool) ? askToAgree(api, origin) : null;
}

function compileRequest(api: Api, operation: Operation, held: HeldNames): Omit<RequestTemplate, 'refusal'> {
  refuseSealed(api, operation);
  const base = parseBaseUrl(operation.baseUrl ?? api.baseUrl);
  const { path, query } = splitTarget(operation.path);
  const fixedQuery = queryWithoutSecrets(api, [base.search.slice(1), query].filter(Boolean).join('&'));
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(api.headers)) headers[name.toLowerCase()] = value;
  // Without an Accept header many servers answer with an HTML page.
  headers['accept'] ??= operation.accept ?? anyReply;
  return {
    method: operation.method,
    origin: base.origin,
    basePath: trimEndOf(base.pathname, '/'),
    path: parsePath(path, operation),
    fixedQuery,
    headers,
    query: inPlace(operation, 'query').map((parameter) => ({
      name: parameter.name,
      write: rejectingHeldNames(pairsWriter(parameter), parameter, held.query),
    })),
    headerArguments: inPlace(operation, 'header').map((parameter) => ({
      name: parameter.name,
      key: (parameter.key ?? parameter.name).toLowerCase(),
      write: headerWriter(parameter),
    })),
    cookies: inPlace(operation, 'cookie').map((parameter) => ({
      name: parameter.name,
      write: rejectingHeldNames(cookieWriter(parameter), parameter, held.cookie),
    })),
    body: bodyWriter(operation, held.body),
    fileValues: fileValuesOf(operation),
    isHeldField: held.body,
    isHeldHeader: held.header,
  };
}

// A secret that cannot be decrypted must not be sent as ciphertext.
function refuseSealed({ slug, headers }: Api, { parameters }: Operation): void {
  const header = Object.keys(headers).find((name) => isSealedText(headers[name]));
  const fixed = parameters.find((parameter) => isSealedText(parameter.fixed));
  if (header === undefined && fixed === undefined) return;
  const what = header === undefined ? `fixed value of "${fixed!.name}"` : `header "${header}"`;
  throw pipelineErrors.sealedValueUnreadable({ what, slug });
}

// Only names that come from a value need a check here; declared keys were checked when the tool was saved.
function rejectingHeldNames(write: WritePairs, parameter: Parameter, isHeld: IsHeld): WritePairs {
  return parameter.fixed === undefined && parameter.hidden !== true && namesItself(parameter)
    ? (value) => refuseHeldPairs(write(value), parameter.name, isHeld)
    : write;
}

function inPlace(operation: Operation, place: ParameterPlace): Parameter[] {
  return operation.parameters.filter((parameter) => parameter.in === place);
}

function splitTarget(template: string): { path: string; query: string } {
  const at = template.indexOf('?');
  if (at < 0) return { path: template, query: '' };
  return { path: template.slice(0, at), query: encodeLiteral(template.slice(at + 1)) };
}

function parsePath(template: string, operation: Operation): PathPart[] {
  const parts: PathPart[] = [];
  const path = template === '' || template.startsWith('/') ? template : `/${template}`;
  let at = 0;
  for (const match of path.matchAll(/\{([^{}/]+)\}/g)) {
    if (match.index > at) parts.push({ text: encodeLiteral(path.slice(at, match.index)) });
    const slot = match[1]!;
    const parameter = inPlace(operation, 'path').find((each) => (each.key ?? each.name) === slot);
    parts.push(
      parameter
        ? { slot, name: parameter.name, write: pathWriter(parameter) }
        : { slot, name: null, write: () => '' },
    );
    at = match.index + match[0].length;
  }
  if (at < path.length) parts.push({ text: encodeLiteral(path.slice(at)) });
  return parts;
}

// Keeps existing escapes and escapes what a request line cannot carry. A `#` would end the path.
function encodeLiteral(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%?]/gu, (found) =>
    encodeURIComponent(found),
  );
}
