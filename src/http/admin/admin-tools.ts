import { z } from 'zod';
import { scopesAllow } from '../../domain/admin-api-token.ts';
import { type Principal, roleAllows } from '../../domain/person.ts';
import { isObject, objectOr, type PlainObject, textOr } from '../../lib/json/plain-object.ts';
import type { NativeFeatures, NativeTool } from '../../mcp/native.ts';
import type { RouteContract } from '../contract/route.ts';
import type { BoundRoute } from './bind.ts';

/** A request to the admin API, below `/api/v1`. */
export interface AdminRequest {
  readonly method: RouteContract['method'];
  readonly url: string;
  readonly body: PlainObject | undefined;
  readonly revision: number | undefined;
}

/** Makes a request as the caller of the tools. */
export type AskAdminApi = (
  request: AdminRequest,
) => Promise<{ readonly status: number; readonly text: string }>;

/** A route that agents may use, as a tool. */
export interface AdminTool {
  readonly contract: RouteContract;
  readonly definition: NativeTool['definition'];
  /** The request for these arguments; a text says why there is none. */
  requestFor(args: PlainObject): AdminRequest | string;
}

/** The routes whose contracts offer them to agents. */
export function adminTools(routes: readonly BoundRoute[]): readonly AdminTool[] {
  return routes.flatMap(({ contract }) => (contract.tool === undefined ? [] : [adminTool(contract)]));
}

/** Whether a route is within someone's role and scopes; the admin API itself checks that again. */
export function mayUse({ contract }: AdminTool, { role, scopes }: Principal): boolean {
  const how = contract.method === 'GET' ? 'read' : 'write';
  return (
    contract.access !== 'public' &&
    roleAllows(role, contract.access) &&
    scopesAllow(scopes, contract.tag, how)
  );
}

/** The tools of one caller, whose calls are requests of theirs. */
export function adminFeatures(tools: readonly AdminTool[], ask: AskAdminApi): NativeFeatures {
  return {
    tools: new Map(
      tools.map((tool) => [
        tool.definition.name,
        { definition: tool.definition, call: (args) => callTool(tool, args, ask) },
      ]),
    ),
    prompts: new Map(),
    resources: { list: [], templates: [], read: () => Promise.resolve(undefined), subscribable: false },
    logging: false,
  };
}

type Result = Extract<Awaited<ReturnType<NativeTool['call']>>, { readonly content: unknown }>;

const maxText = 40_000;

async function callTool(tool: AdminTool, args: PlainObject, ask: AskAdminApi): Promise<Result> {
  const request = tool.requestFor(args);
  if (typeof request === 'string') return result(request, true);
  const { status, text } = await ask(request);
  if (status >= 400) return result(problemText(text), true);
  if (text === '') return result('Done.');
  return result(
    text.length <= maxText
      ? text
      : `${text.slice(0, maxText)}\n\n[Cut after ${maxText} of ${text.length} characters: ask for fewer with limit, or for one by its id.]`,
  );
}

function result(text: string, isError = false): Result {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}

function problemText(text: string): string {
  try {
    return textOr(objectOr(JSON.parse(text))['detail']) ?? text.slice(0, 1_000);
  } catch {
    return text.slice(0, 1_000);
  }
}

function adminTool(contract: RouteContract): AdminTool {
  const { method, path, id, summary, query, body, tool } = contract;
  const fields = tool === true || tool === undefined ? null : new Set(tool.fields);
  const always = tool === true || tool === undefined ? {} : tool.always;
  const inPath = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const defs: Record<string, unknown> = {};
  const inQuery = schemaOf(query, defs);
  const inBody = schemaOf(body, defs);
  const bodyNames = Object.keys(inBody.properties).filter((name) => fields === null || fields.has(name));
  // A body that isn't an object of its own fields, or has a field named like a part of the path, is one argument.
  const isNested =
    body !== undefined && (bodyNames.length === 0 || bodyNames.some((name) => inPath.includes(name)));
  const properties: Record<string, unknown> = {
    ...Object.fromEntries(inPath.map((name) => [name, { type: 'string' }])),
    ...inQuery.properties,
    ...(isNested ? { body: inBody.schema } : pick(inBody.properties, bodyNames)),
    ...(method === 'PATCH' && {
      revision: {
        type: 'integer',
        description: 'The revision that you read: fails if it has changed since.',
      },
    }),
  };
  const required = [
    ...inPath,
    ...inQuery.required,
    ...(isNested ? [] : inBody.required.filter((name) => bodyNames.includes(name))),
  ];
  return {
    contract,
    definition: {
      name: id,
      description: `${summary}.`,
      inputSchema: {
        type: 'object',
        properties: asSchemas(properties),
        ...(required.length > 0 && { required }),
        additionalProperties: false,
        ...(Object.keys(defs).length > 0 && { $defs: asSchemas(defs) }),
      },
      annotations: { readOnlyHint: method === 'GET', destructiveHint: false, openWorldHint: false },
    },
    requestFor(args) {
      // Also what keeps fields that aren't offered out of the body.
      const unknown = Object.keys(args).filter((name) => !Object.hasOwn(properties, name));
      if (unknown.length > 0)
        return `There is no argument ${unknown.join(', ')}. The arguments are ${Object.keys(properties).join(', ') || 'none'}.`;
      const missing = required.filter((name) => args[name] === undefined);
      if (missing.length > 0) return `Missing arguments: ${missing.join(', ')}.`;
      const wrong = inPath.find((name) => !isPathValue(args[name]));
      if (wrong !== undefined) return `${wrong} must be an id or a name.`;
      const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(args[name])));
      const asked = new URLSearchParams(
        Object.keys(inQuery.properties).flatMap((name): [string, string][] => {
          const value = args[name];
          return value === undefined || value === null
            ? []
            : [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
        }),
      ).toString();
      const given = isNested ? objectOr(args['body']) : { ...pick(args, bodyNames), ...always };
      const { revision } = args;
      return {
        method,
        url: `${filled}${asked === '' ? '' : `?${asked}`}`,
        body: body === undefined ? undefined : given,
        revision: method === 'PATCH' && typeof revision === 'number' ? revision : undefined,
      };
    },
  };
}

type Schemas = NonNullable<NativeTool['definition']['inputSchema']['properties']>;

function asSchemas(schemas: Readonly<Record<string, unknown>>): Schemas {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Zod writes is JSON
  return schemas as Schemas;
}

function isPathValue(value: unknown): boolean {
  return (typeof value === 'string' && value !== '' && !/^\.{1,2}$/.test(value)) || typeof value === 'number';
}

function pick(from: PlainObject, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

/** A part of a contract as JSON Schema; its definitions join those of the tool. */
function schemaOf(type: z.ZodType | undefined, defs: Record<string, unknown>) {
  if (type === undefined) return { schema: {}, properties: {}, required: [] };
  const {
    $schema: _dialect,
    $defs,
    ...schema
  } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' });
  Object.assign(defs, $defs);
  return {
    schema,
    properties: isObject(schema.properties) ? schema.properties : {},
    required: schema.required ?? [],
  };
}
