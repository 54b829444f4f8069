import type { Tool as McpTool } from '@modelcontextprotocol/server';
import { type Caller, mayCall } from '../../domain/call.ts';
import { maxCodeChars } from '../../domain/composed-tool.ts';
import { toolKinds } from '../../domain/tool.ts';
import type { ServerView } from '../../registry/snapshot.ts';
import type { Replies } from '../../replies/open-replies.ts';
import { WeakCache } from '../../lib/weak-cache.ts';

/** How many results a search has unless it asks for more or fewer, and at most. */
export const defaultResults = 5;
export const maxResults = 20;

/** How many tools are described at once, at most. */
export const maxDescribed = 5;

const callSchema = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' },
    arguments: { type: 'object' },
    select: { type: 'string' },
    all: { type: 'boolean' },
    max_items: { type: 'integer' },
    wait: { type: 'boolean' },
  },
  required: ['name'],
};

// Of annotations, what the protocol takes for granted is left out: the lists have to be short.
function door(name: string, kind: string, annotations: NonNullable<McpTool['annotations']>): McpTool {
  return {
    name,
    description: `Calls a ${kind} tool that search_tools found.`,
    inputSchema: callSchema,
    annotations,
  };
}

/** Reads what was kept of long replies. */
export const readReplyDefinition: McpTool = {
  name: 'read_reply',
  description:
    'Reads parts of a reply that was too long: records of a list, lines of a text, bytes of a file.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string' },
      select: { type: 'string', description: 'JMESPath' },
      offset: { type: 'integer', minimum: 0 },
      limit: { type: 'integer', minimum: 1 },
      search: { type: 'string', description: 'Text to find.' },
    },
    required: ['handle'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** Lets a user give a file to a tool. */
const requestUploadDefinition: McpTool = {
  name: 'request_upload',
  description: 'An address where the user can put a file, and the handle to give as a file argument.',
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
  return ids.some((id) => mayCall(caller, id));
}

/** What is listed only where a tool takes a file, and a user could upload one. */
export function fileDefinitions(
  view: ServerView,
  caller: Caller,
  { links }: Pick<Replies, 'links'>,
): readonly McpTool[] {
  return links.areReachable() && takesFiles(view, caller) ? [requestUploadDefinition] : [];
}

/** The tools of a server that is searched: the same whatever it holds, so that a client's prompt cache lives. */
export const builtInDefinitions: readonly McpTool[] = [
  {
    name: 'search_tools',
    description:
      'Finds tools by what they do, best first, each as name(arguments) description METHOD /path [kind]. "…" marks what was left out; "needs" names tools that yield a needed id.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What is to be done, in a few words.' },
        api: { type: 'string', description: 'Only tools of this API.' },
        kind: { type: 'string', enum: [...toolKinds] },
        limit: { type: 'integer', minimum: 1, maximum: maxResults, default: defaultResults },
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
        names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: maxDescribed },
      },
      required: ['names'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  door('call_read', '[read]', { readOnlyHint: true }),
  door('call_write', '[write]', { destructiveHint: false }),
  door('call_destructive', '[destructive]', { destructiveHint: true }),
  readReplyDefinition,
];

const searchDefinition = builtInDefinitions[0]!;

/** The tools of a server that is used from code; what they may do is its operator's to say. */
export function codeDefinitions({ code }: Pick<ServerView['server'], 'code'>): readonly McpTool[] {
  const may = code?.may ?? 'write';
  return [
    searchDefinition,
    {
      name: 'run_code',
      description:
        'Runs a script: the body of an async function in JavaScript or TypeScript. await tools.<api>.<tool>({…}) calls a tool and gives its reply as data, or throws an error with code, status and message; a second object {all: true} gathers every page of a list, {wait: true} waits for the end of a job. Also: await search(query), await describe(path) (TypeScript types of arguments and reply), await read(handle, {select, offset, limit, search}) for replies that came as a handle, await sleep(ms), print(value) for notes to yourself, show(value) for the user only. Join, filter and loop in the script, use Promise.all, and return only what you need to read. No network, files, imports or timers.',
      inputSchema: {
        type: 'object',
        properties: { code: { type: 'string', maxLength: maxCodeChars } },
        required: ['code'],
      },
      annotations: {
        readOnlyHint: may === 'read',
        ...(may !== 'read' && { destructiveHint: may === 'destructive' }),
        openWorldHint: true,
      },
    },
    readReplyDefinition,
  ];
}

const maxApis = 20;
const maxApiName = 40;

/** What of a server its instructions are made from. */
export interface IntroducedServer {
  readonly server: Pick<ServerView['server'], 'instructions' | 'code'>;
  readonly tools: readonly {
    readonly compiled: {
      readonly tool: { readonly id: string };
      readonly api: { readonly slug: string; readonly name: string };
    };
  }[];
}

/** What a client is told about a server that is searched: its operator's words, which APIs it holds and how to use it. */
export function searchInstructions(view: IntroducedServer, caller: Caller): string {
  return introduction(
    view,
    caller,
    'tools, which are found by search_tools and called by call_read, call_write or call_destructive, whichever their kind says. Calls take select (JMESPath: only these parts of the reply), all: true (every page of a list, up to max_items records), wait: true (a job’s end).',
  );
}

/** The same for a server that is used from code. */
export function codeInstructions(view: IntroducedServer, caller: Caller): string {
  return introduction(
    view,
    caller,
    'tools, which are found by search_tools and called from scripts that run_code runs. They are not listed one by one.',
  );
}

function introduction(view: IntroducedServer, caller: Caller, how: string): string {
  const counts = new Map<string, number>();
  let all = 0;
  for (const { compiled } of view.tools) {
    if (!mayCall(caller, compiled.tool.id)) continue;
    const { slug, name } = compiled.api;
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

const anyone: Caller = { id: 'anonymous', kind: 'anonymous', label: 'whoever may call everything' };

/** What a client of a searched server reads before it does anything, as texts to be counted. */
export function searchCostTexts(view: IntroducedServer): readonly string[] {
  return [JSON.stringify(builtInDefinitions), searchInstructions(view, anyone)];
}

/** The same for a server that is used from code. */
export function codeCostTexts(view: IntroducedServer): readonly string[] {
  return [JSON.stringify(codeDefinitions(view.server)), codeInstructions(view, anyone)];
}
