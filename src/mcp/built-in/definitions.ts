import type { Tool as McpTool } from '@modelcontextprotocol/server';
import { type Caller, mayUseTool } from '../../domain/call.ts';
import { maxCodeChars } from '../../domain/composed-tool.ts';
import type { ListMode } from '../../domain/server.ts';
import { toolKinds } from '../../domain/tool.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { Dialect } from '../dialects/dialects.ts';
import { renderDialect } from '../dialects/render-dialect.ts';
import type { Replies } from '../../replies/open-replies.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

/** The default number of search results, and the maximum. */
export const defaultResults = 5;
export const maxResults = 20;

/** The maximum number of tools described in one call. */
export const maxDescribed = 5;

const callSchema = {
  type: 'object' as const,
  properties: {
    name: { type: 'string', description: 'From search_tools.' },
    arguments: { type: 'object', description: 'As in its signature.' },
    select: { type: 'string', description: 'JMESPath: only these parts of the reply.' },
    all: { type: 'boolean', description: 'Every page of a list.' },
    max_items: { type: 'integer', description: 'Limit for all.' },
    wait: { type: 'boolean', description: 'Until a job ends.' },
  },
  required: ['name'],
};

const callSchemaInText = {
  ...callSchema,
  properties: {
    ...callSchema.properties,
    arguments: { type: 'string', description: 'As in its signature, as the JSON text of an object.' },
  },
};

// Annotations that match the protocol's defaults are left out, to keep the lists short.
function callTool(name: string, kind: string, annotations: NonNullable<McpTool['annotations']>): McpTool {
  return {
    name,
    description: `Calls a ${kind} tool that search_tools found.`,
    inputSchema: callSchema,
    annotations,
  };
}

/** Reads parts of kept replies. */
const readReplyDefinition: McpTool = {
  name: 'read_reply',
  description:
    'Reads parts of a reply that was too long: records of a list, lines of a text, bytes of a file.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'From the reply.' },
      select: { type: 'string', description: 'JMESPath' },
      offset: { type: 'integer', minimum: 0, description: 'First record, line or byte.' },
      limit: { type: 'integer', minimum: 1, description: 'How many.' },
      search: { type: 'string', description: 'Text to find.' },
    },
    required: ['handle'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** Lets a user upload a file for a tool. */
const requestUploadDefinition: McpTool = {
  name: 'request_upload',
  description: 'Returns a URL where the user can upload a file, and the handle to pass as a file argument.',
  inputSchema: { type: 'object' },
  annotations: { destructiveHint: false, openWorldHint: false },
};

const toolsWithFiles = new WeakCache<ServerView, readonly string[]>();

/** Whether a server has a tool that takes a file and that this caller may call. */
export function takesFiles(view: ServerView, caller: Caller): boolean {
  let ids = toolsWithFiles.get(view);
  if (ids === undefined) {
    ids = view.tools
      .filter(({ compiled }) => compiled.request.fileValues !== null)
      .map(({ compiled }) => compiled.tool.id);
    toolsWithFiles.set(view, ids);
  }
  return ids.some((id) => mayUseTool(caller, id));
}

/** Listed only where a tool takes a file and a user could upload one. */
function fileDefinitions(
  view: ServerView,
  caller: Caller,
  { links }: Pick<Replies, 'links'>,
): readonly McpTool[] {
  return links.areReachable() && takesFiles(view, caller) ? [requestUploadDefinition] : [];
}

/**
 * The tools of a server in search mode: the same whatever it contains, so that a client's prompt cache stays valid.
 */
const builtInDefinitions: readonly McpTool[] = [
  {
    name: 'search_tools',
    description:
      'Finds tools by what they do, best first, each as name(arguments) description METHOD /path [kind]. "…" marks what was left out; "needs" names tools that yield a needed id.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What you want to do, in a few words.' },
        api: { type: 'string', description: 'Only tools of this API.' },
        kind: { type: 'string', enum: [...toolKinds], description: 'Only this kind.' },
        tag: { type: 'string', description: 'Only tools with this tag.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: maxResults,
          default: defaultResults,
          description: 'How many.',
        },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'describe_tools',
    description: 'Full input schemas, output shapes and examples of tools.',
    inputSchema: {
      type: 'object',
      properties: {
        names: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: maxDescribed,
          description: 'From search_tools.',
        },
      },
      required: ['names'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  callTool('call_read', '[read]', { readOnlyHint: true }),
  callTool('call_write', '[write]', { destructiveHint: false }),
  callTool('call_destructive', '[destructive]', { destructiveHint: true }),
];

const searchDefinition = builtInDefinitions[0]!;

/** The tools of a server in code mode; their annotations depend on what its operator allows scripts to do. */
export function codeDefinitions({ code }: Pick<ServerView['server'], 'code'>): readonly McpTool[] {
  const may = code?.may ?? 'write';
  return [
    searchDefinition,
    {
      name: 'run_code',
      description:
        'Runs a script: the body of an async function in JavaScript or TypeScript. await tools.<api>.<tool>({…}) calls a tool and returns its reply as data, or throws an error with code, status and message; a second object {all: true} gathers every page of a list into one array, {wait: true} waits for the end of a job, {reply: true} returns {status, headers, data, more}. A list with further pages has a text .more. Also: await search(query), await describe(path) (TypeScript types of arguments and reply), await read(handle, {select, offset, limit, search}) for replies returned as a handle, await sleep(ms), print(value) for notes to yourself, show(value) for the user only. Join, filter and loop in the script, use Promise.all, and return only what you need to read. No network, files, imports or timers.',
      inputSchema: {
        type: 'object',
        properties: { code: { type: 'string', maxLength: maxCodeChars, description: 'The script.' } },
        required: ['code'],
      },
      annotations: {
        readOnlyHint: may === 'read',
        ...(may !== 'read' && { destructiveHint: may === 'destructive' }),
        openWorldHint: true,
      },
    },
  ];
}

/** The built-in tools that a server lists in a mode: those before its own tools, and those after them. */
export function listedDefinitions(
  view: ServerView,
  caller: Caller,
  mode: ListMode,
  replies: Pick<Replies, 'budget' | 'links'>,
): { readonly before: readonly McpTool[]; readonly after: readonly McpTool[] } {
  const files = fileDefinitions(view, caller, replies);
  if (mode === 'direct')
    // Where replies are shortened, the rest of them can be read.
    return { before: files, after: replies.budget.cutsOn(view.server) ? [readReplyDefinition] : [] };
  const own = mode === 'search' ? builtInDefinitions : codeDefinitions(view.server);
  return { before: [...own, ...files], after: [readReplyDefinition] };
}

/** A built-in tool written in a dialect: Gemini rejects an object without properties, so it writes arguments as text. */
export function inDialect(tool: McpTool, dialect: Dialect): McpTool {
  if (dialect.rules === null) return tool;
  const isCall = dialect.name === 'gemini' && tool.inputSchema === callSchema;
  return renderDialect(isCall ? { ...tool, inputSchema: callSchemaInText } : tool, dialect).tool;
}

const maxApis = 20;
const maxApiName = 40;

/** The parts of a server that its instructions are generated from. */
export interface IntroducedServer {
  readonly server: Pick<ServerView['server'], 'instructions' | 'code'>;
  readonly tools: readonly { readonly compiled: IntroducedTool; readonly source?: IntroducedTool }[];
}

interface IntroducedTool {
  readonly tool: { readonly id: string };
  readonly api: { readonly slug: string; readonly name: string };
}

/** The instructions of a server in search mode: its operator's own, its APIs and how to use it. */
export function searchInstructions(view: IntroducedServer, caller: Caller): string {
  return introduction(
    view,
    caller,
    'tools: find them with search_tools and call them with call_read, call_write or call_destructive, according to their kind.',
  );
}

/** The same for a server in code mode. */
export function codeInstructions(view: IntroducedServer, caller: Caller): string {
  return introduction(
    view,
    caller,
    'tools: find them with search_tools and call them from scripts with run_code. They are not listed individually.',
  );
}

function introduction(view: IntroducedServer, caller: Caller, how: string): string {
  const counts = new Map<string, number>();
  let all = 0;
  for (const listed of view.tools) {
    const { tool, api } = listed.source ?? listed.compiled;
    if (!mayUseTool(caller, tool.id)) continue;
    const { slug, name } = api;
    const short = name.length <= maxApiName ? name : `${name.slice(0, maxApiName - 1)}…`;
    const line = short.toLowerCase() === slug ? slug : `${slug} (${short})`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
    all++;
  }
  const apis = [...counts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  const named = apis.slice(0, maxApis).map(([line, count]) => `${line}: ${count}`);
  if (apis.length > maxApis) named.push(`and ${apis.length - maxApis} more`);
  const generated = [
    `This server has ${all} ${how}`,
    ...(named.length > 0 ? [`APIs: ${named.join('; ')}.`] : []),
  ].join('\n');
  const { instructions } = view.server;
  return instructions === undefined ? generated : `${instructions}\n\n${generated}`;
}

const anyone: Caller = { id: 'anonymous', kind: 'anonymous', label: 'a caller who may call everything' };

/** Everything a client of a server in search mode reads up front, as texts for token counts. */
export function searchCostTexts(view: IntroducedServer): readonly string[] {
  return [JSON.stringify([...builtInDefinitions, readReplyDefinition]), searchInstructions(view, anyone)];
}

/** The same for a server in code mode. */
export function codeCostTexts(view: IntroducedServer): readonly string[] {
  return [
    JSON.stringify([...codeDefinitions(view.server), readReplyDefinition]),
    codeInstructions(view, anyone),
  ];
}
