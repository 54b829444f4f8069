import type { JsonSchema } from '../domain/json-schema.ts';
import type { Server, ServerPolicy } from '../domain/server.ts';
import { kindOf } from '../domain/tool.ts';
import { isObject } from '../lib/json/plain-object.ts';
import type { ListedTool } from '../registry/snapshot.ts';

/** What a server's document says beyond its tools. */
export interface ServerAddress {
  /** Where the server is, such as `https://gateway.example.com/mcp/weather`. */
  readonly url: string;
  /** Where the gateway is. */
  readonly gateway: string;
}

/**
 * The OpenAPI 3.1 document of a server's plain REST surface: one operation for each tool, whose body is the tool's
 * arguments. Imported into Handrail, it gives the same tools: what HTTP can't say is in `x-mcp`.
 */
export function serverOpenapi(
  server: Server,
  tools: readonly ListedTool[],
  { url, gateway }: ServerAddress,
): object {
  const schemas = new SharedSchemas();
  const paths = Object.fromEntries(
    tools.map((listed) => [
      `/tools/${encodeURIComponent(listed.name)}`,
      { post: operationOf(listed, schemas) },
    ]),
  );
  const securitySchemes = securityOf(server.policy, gateway);
  const names = Object.keys(securitySchemes);
  return {
    openapi: '3.1.0',
    info: {
      title: server.name,
      version: String(server.revision),
      ...(server.description !== undefined && { description: server.description }),
    },
    servers: [{ url }],
    // Any one of them is enough; none is needed for an open server.
    security: names.length === 0 ? [] : names.map((name) => ({ [name]: [] })),
    paths,
    components: {
      ...(names.length > 0 && { securitySchemes }),
      schemas: { ...schemas.all, [problemName]: problemSchema },
      responses: {
        Problem: {
          description: 'What went wrong and what to do.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
}

function operationOf({ name, description, compiled }: ListedTool, schemas: SharedSchemas): object {
  const { tool, inputSchema } = compiled;
  const { replySchema } = tool.operation;
  const { properties, required } = inputSchema;
  const takesArguments = isObject(properties) && Object.keys(properties).length > 0;
  const isShaped = Object.keys(tool.reply).length > 0;
  return {
    operationId: name,
    ...(tool.title !== undefined && { summary: tool.title }),
    description,
    ...(tool.tags.length > 0 && { tags: [...tool.tags] }),
    ...(tool.deprecated === true && { deprecated: true }),
    ...(takesArguments && {
      requestBody: {
        required: Array.isArray(required) && required.length > 0,
        content: { 'application/json': { schema: schemas.share(inputSchema) } },
      },
    }),
    responses: {
      200: {
        description: 'The reply, unchanged.',
        content: {
          'application/json': {
            schema: replySchema === undefined || isShaped ? {} : schemas.share(replySchema),
          },
        },
      },
      // Without a schema, which an import would take for another form of the reply.
      ...(tool.operation.longRunning === true && {
        202: {
          description: 'The API accepted the job and has not finished it; the body says how to ask again.',
        },
      }),
      default: { $ref: '#/components/responses/Problem' },
    },
    // The ways in which others mark what a call does: Handrail itself, and GPT actions.
    'x-mcp': { name, description, annotations: { ...tool.annotations } },
    'x-openai-isConsequential': kindOf(tool) !== 'read',
  };
}

/** Definitions of tools, under names of the whole document. Equal ones are shared. */
class SharedSchemas {
  readonly all: Record<string, unknown> = {};
  /** As its tool has it, by name in the document. */
  readonly #taken = new Map<string, string>();

  /** The schema with its definitions moved to the document's. */
  share({ $defs, ...schema }: JsonSchema): unknown {
    const definitions = Object.entries(isObject($defs) ? $defs : {}).map(
      ([name, definition]) => [name, definition, JSON.stringify(definition)] as const,
    );
    // They refer to each other, so all of them get the same suffix.
    let suffix = '';
    const nameIn = (name: string) =>
      `${name.replaceAll(/[^\w.-]/gu, (letter) => `_${letter.codePointAt(0)!.toString(16)}_`)}${suffix}`;
    const isFree = ([name, , text]: (typeof definitions)[number]): boolean =>
      nameIn(name) !== problemName && (this.#taken.get(nameIn(name)) ?? text) === text;
    for (let n = 2; !definitions.every(isFree); n++) suffix = `_${n}`;
    const names = new Map(definitions.map(([name]) => [`#/$defs/${pointerOf(name)}`, nameIn(name)]));
    for (const [name, definition, text] of definitions) {
      this.#taken.set(nameIn(name), text);
      this.all[nameIn(name)] ??= withRefs(definition, names);
    }
    return withRefs(schema, names);
  }
}

const problemName = 'Problem';

function pointerOf(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function withRefs(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (names.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withRefs(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = key === '$ref' && typeof inner === 'string' ? names.get(inner) : undefined;
      return [key, name === undefined ? withRefs(inner, names) : `#/components/schemas/${name}`];
    }),
  );
}

/** How a caller proves who it is; one scheme for each way. */
function securityOf(policy: ServerPolicy, gateway: string): Record<string, object> {
  switch (policy.kind) {
    case 'open':
      return {};
    case 'key':
      return {
        accessKey:
          policy.header === undefined
            ? { type: 'http', scheme: 'bearer', description: 'An access key of this gateway.' }
            : {
                type: 'apiKey',
                in: 'header',
                name: policy.header,
                description: 'An access key of this gateway.',
              },
      };
    case 'basic':
      return { basic: { type: 'http', scheme: 'basic', description: 'An access key as the password.' } };
    case 'sign-in':
      return {
        accessKey: { type: 'http', scheme: 'bearer', description: 'An access key of this gateway.' },
        signIn: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${gateway}/oauth/authorize`,
              tokenUrl: `${gateway}/oauth/token`,
              scopes: {},
            },
          },
        },
      };
    case 'oauth':
      return {
        token: { type: 'http', scheme: 'bearer', description: `An access token of ${policy.issuer}.` },
      };
  }
}

/** RFC 9457 problem details, as every route of the gateway sends them. */
export const problemSchema = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    problems: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, message: { type: 'string' } },
        required: ['path', 'message'],
      },
    },
    retryAfterMs: { type: 'number' },
  },
};
