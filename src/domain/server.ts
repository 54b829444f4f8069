import { parseAddressList } from '../lib/network/address-list.ts';
import {
  byKey,
  choice,
  described,
  flag,
  type Infer,
  integer,
  list,
  object,
  optional,
  record,
  type Rule,
  text,
  variants,
  withRule,
} from '../lib/schema/schema.ts';
import { parseUriTemplate, UriTemplateError } from '../lib/text/uri-template.ts';
import { ratePerMinute } from './access-key.ts';
import { baseUrlText } from './fields/addresses.ts';
import { settableHeaderName } from './fields/header-names.ts';
import { slugText, tagText, toolNameText } from './names.ts';
import { toolKinds, replyTokens } from './tool.ts';
import { idText, maxDescription, rowFields } from './fields/row-fields.ts';

/** One rule of a server's choice of tools. `all` picks everything, now and later. */
export const toolSelector = byKey({
  all: object({ all: choice(true) }),
  toolId: object({ toolId: idText }),
  apiId: object({ apiId: idText, tag: optional(tagText) }),
  tag: object({ tag: tagText }),
});

export type ToolSelector = Infer<typeof toolSelector>;

/** What a server says differently about one of its tools. */
export const toolOverride = object({
  name: optional(toolNameText),
  description: optional(text({ max: maxDescription })),
});

export type ToolOverride = Infer<typeof toolOverride>;

/** One scope of an access token (RFC 6749 section 3.3). */
export const scopeText = text({
  min: 1,
  max: 1_000,
  pattern: /^[\x21\x23-\x5b\x5d-\x7e]+$/,
  wants: 'must be one scope, without spaces or quotes',
});

/** How the client that asks about tokens introduces itself (RFC 6749 section 2.3.1). */
const introspectionClientAuth = choice('client_secret_basic', 'client_secret_post');

/** Where and as whom a token's authorization server is asked about it (RFC 7662). */
export const introspectionFields = {
  url: optional(described(baseUrlText, 'Where tokens are asked about; the issuer’s metadata says it too.')),
  clientId: described(text({ min: 1, max: 1_000 }), 'Who asks: a client that the issuer knows.'),
  clientAuth: optional(
    described(introspectionClientAuth, 'How the client proves itself; client_secret_basic unless given.'),
  ),
  /** The client's secret, sealed for this issuer, address and client; absent until it was entered. */
  sealed: optional(text({ min: 1, max: 100_000 })),
};

/** The ways to admit callers, each with its fields. */
export const policyFields = {
  open: {},
  key: { header: optional(settableHeaderName), allowQuery: optional(flag()) },
  basic: {},
  oauth: {
    /** The authorization server, exactly as its tokens name it. */
    issuer: baseUrlText,
    audience: optional(
      described(
        list(text({ min: 1, max: 1_000 }), { max: 100 }),
        'What tokens for this server say they were made for, where that is not its address: one of these.',
      ),
    ),
    scopes: optional(described(list(scopeText, { max: 1_000 }), 'Every token needs all of these.')),
    introspection: optional(
      described(
        object(introspectionFields),
        'Ask the issuer about each token instead of reading it, for tokens that are not signed or can be taken back.',
      ),
    ),
    /** Tool ids by the scope that opens them; absent means that every token opens every tool. */
    toolScopes: optional(record(scopeText, list(idText, { max: 100_000 }), { max: 10_000 })),
  },
} as const;

const serverPolicy = variants('kind', policyFields);

/** Who may use a server. */
export type ServerPolicy = Infer<typeof serverPolicy>;

/** A policy that lets in who has a token of an external issuer. */
export type OAuthPolicy = Extract<ServerPolicy, { readonly kind: 'oauth' }>;

const promptArgument = object({
  name: withRule(text({ min: 1, max: 1_000 }), (name, tell) => {
    if (name.trim() !== name || /[{}]/.test(name))
      tell('', 'must have no braces, and no spaces around it: the text names it as {{name}}');
  }),
  description: optional(text({ max: maxDescription })),
  required: optional(flag()),
  values: optional(list(text({ max: 10_000 }), { max: 10_000 })),
});

/** The fields of a prompt that an operator wrote: text with `{{argument}}` placeholders. */
export const promptFields = {
  name: text({ min: 1, max: 64 }),
  title: optional(text({ max: 500 })),
  description: optional(text({ max: maxDescription })),
  arguments: withRule(list(promptArgument, { max: 1_000 }), (args, tell) =>
    tellRepeated(args, ({ name }) => name, '/name', tell),
  ),
  text: text({ max: 1_000_000 }),
};

const serverPrompt = object(promptFields);

export type ServerPrompt = Infer<typeof serverPrompt>;

/** The fields of a resource that an operator wrote, or of a GET tool made readable under a URI template. */
export const resourceFields = {
  uri: described(
    withRule(text({ min: 1, max: 10_000 }), (uri, tell) => {
      const fault = uriFault(uri);
      if (fault !== null) tell('', fault);
    }),
    'A URI, or a URI template with places for arguments: docs://{topic}.',
  ),
  name: text({ min: 1, max: 500 }),
  title: optional(text({ max: 500 })),
  description: optional(text({ max: maxDescription })),
  mimeType: optional(text({ max: 500 })),
  text: optional(text({ max: 10_000_000 })),
};

function uriFault(uri: string): string | null {
  if (!/^[a-z][a-z\d+.-]*:/i.test(uri)) return 'must begin with a scheme, such as docs://';
  try {
    parseUriTemplate(uri);
    return null;
  } catch (error) {
    if (error instanceof UriTemplateError) return error.message;
    throw error;
  }
}

const resourceForm = object({ ...resourceFields, toolId: optional(idText) });

export type ServerResource = Infer<typeof resourceForm>;

/** A text, or a tool that is read instead of one. */
const textOrTool: Rule<{ readonly text?: string; readonly toolId?: string }> = (resource, tell) => {
  if ((resource.text === undefined) === (resource.toolId === undefined))
    tell('', 'must have either a text or a tool');
};

/** A resource that can be read. */
export const resource = withRule(resourceForm, textOrTool);

/** A picture of a server. */
const icon = object({
  src: withRule(text({ min: 1, max: 1_000_000 }), (src, tell) => {
    if (!/^(?:https?|data):/i.test(src) || !URL.canParse(src))
      tell('', 'must be an address that begins with https:, http: or data:');
  }),
  mimeType: optional(text({ max: 500 })),
  sizes: optional(list(text({ max: 100 }), { max: 100 })),
});

/** The names of the ways that tools are written for families of clients. */
export const dialectNames = ['strict', 'portable', 'cursor', 'gemini'] as const;

export type DialectName = (typeof dialectNames)[number];

/** How a server shows its tools: each in the list, or found by search, or used from code; `auto` goes by what the list costs. */
export const serverModes = ['auto', 'direct', 'search', 'code'] as const;

export type ServerMode = (typeof serverModes)[number];

/** The modes that one connection can be served in. */
export type ListMode = Exclude<ServerMode, 'auto'>;

/** The modes that a client may ask for where the operator allows all. */
export const listModes = ['direct', 'search', 'code'] as const satisfies readonly ListMode[];

/** What scripts on a server may do and use; what is absent is as the gateway has it. */
const codeRules = object({
  may: optional(
    described(
      choice(...toolKinds),
      'Which tools scripts may call: those that read, those that write as well (unless said otherwise), or destructive ones too.',
    ),
  ),
  memoryMb: optional(
    described(integer({ min: 8, max: 256 }), 'Memory of one script, in MB; 64 unless said.'),
  ),
  cpuMs: optional(
    described(
      integer({ min: 100, max: 60_000 }),
      'How long one script may compute, in ms; 5,000 unless said.',
    ),
  ),
  wallMs: optional(
    described(
      integer({ min: 1_000, max: 600_000 }),
      'How long one script may take, waiting included, in ms; 30,000 unless said.',
    ),
  ),
  calls: optional(
    described(integer({ min: 1, max: 1_000 }), 'Calls that one script may make; 100 unless said.'),
  ),
  callsAtOnce: optional(
    described(
      integer({ min: 1, max: 50 }),
      'Calls of one script that are under way at once; 10 unless said.',
    ),
  ),
});

/** The fields of a server that its operator decides about. */
export const serverFields = {
  slug: slugText,
  name: text({ min: 1, max: 500 }),
  description: optional(text({ max: maxDescription })),
  instructions: optional(text({ max: maxDescription })),
  icons: optional(list(icon, { max: 100 })),
  tools: list(toolSelector, { max: 100_000 }),
  /** By tool id. */
  overrides: record(idText, toolOverride, { max: 100_000 }),
  policy: serverPolicy,
  allowAddresses: optional(
    described(
      withRule(list(text({ min: 1, max: 100 }), { min: 1, max: 1_000 }), (entries, tell) => {
        entries.forEach((entry, i) => {
          try {
            parseAddressList([entry]);
          } catch (error) {
            if (!(error instanceof RangeError)) throw error;
            tell(`/${i}`, 'is neither an address nor a network: write it like 127.0.0.1 or 10.0.0.0/8');
          }
        });
      }),
      'Addresses and networks that may use it; to others it is not there. Absent means any.',
    ),
  ),
  ratePerMinute: described(ratePerMinute, 'Calls a minute for each caller; 0 means no limit.'),
  dialect: optional(choice(...dialectNames)),
  prompts: optional(
    withRule(list(serverPrompt, { max: 1_000 }), (prompts, tell) =>
      tellRepeated(prompts, ({ name }) => name, '/name', tell),
    ),
  ),
  resources: optional(
    withRule(list(resource, { max: 10_000 }), (resources, tell) =>
      tellRepeated(resources, ({ uri }) => uri, '/uri', tell),
    ),
  ),
  /** Tools a page when a client pages `tools/list`; absent means never page unless asked. */
  pageSize: optional(integer({ min: 1 })),
  /** Absent means `auto`. */
  mode: optional(
    described(
      choice(...serverModes),
      'How tools are shown: direct lists each, search lists a few tools that find and call the others, code lists tools that find others and run scripts which call them, auto goes by what the list costs.',
    ),
  ),
  clientModes: optional(
    described(
      list(choice(...listModes), { max: listModes.length }),
      'The modes that clients may choose with ?mode= besides the server’s own; absent means any.',
    ),
  ),
  listOutputSchemas: optional(
    described(
      flag(),
      'Show output schemas in the list of tools; they are more than half of what a list costs.',
    ),
  ),
  replyMaxTokens: optional(
    described(
      replyTokens,
      'What a model reads of one reply at most, in tokens; the rest is kept under a handle. 0 means any, absent what the gateway is set to.',
    ),
  ),
  selectArgument: optional(
    described(
      flag(),
      'Give every listed tool an argument _select, by which a model picks the fields it wants to read.',
    ),
  ),
  pageArguments: optional(
    described(
      flag(),
      'Give listed tools the arguments _all and _max_items where they return pages, and _wait where they begin long jobs.',
    ),
  ),
  code: optional(described(codeRules, 'What scripts may do and use, where the server is used from code.')),
  enabled: flag(),
};

function tellRepeated<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  field: string,
  tell: (path: string, message: string) => void,
): void {
  const seen = new Set<string>();
  items.forEach((item, at) => {
    const key = keyOf(item);
    if (seen.has(key)) tell(`/${at}${field}`, 'is there twice');
    seen.add(key);
  });
}

/** A published MCP server at `/mcp/{slug}`. */
export const server = object({ ...rowFields, ...serverFields });

export type Server = Infer<typeof server>;

/** The slug of the server that holds every tool. */
export const defaultServerSlug = 'default';

/** The server that every installation has, as it is before anyone edits it. */
export function defaultServer(policy: ServerPolicy) {
  return {
    slug: defaultServerSlug,
    name: 'All tools',
    tools: [{ all: true }],
    overrides: {},
    policy,
    ratePerMinute: 0,
    enabled: true,
  } as const satisfies Partial<Server>;
}
