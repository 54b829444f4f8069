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
import { piiRules } from './pii-rules.ts';
import { toolKinds, replyTokens } from './tool.ts';
import { idText, maxDescription, rowFields } from './fields/row-fields.ts';

/** One rule of a server's tool selection. `all` selects everything, now and later. */
export const toolSelector = byKey({
  all: object({ all: choice(true) }),
  toolId: object({ toolId: idText }),
  apiId: object({ apiId: idText, tag: optional(tagText) }),
  tag: object({ tag: tagText }),
});

export type ToolSelector = Infer<typeof toolSelector>;

/** A server's overrides for one of its tools. */
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

/** How the introspection client authenticates (RFC 6749 section 2.3.1). */
const introspectionClientAuth = choice('client_secret_basic', 'client_secret_post');

/** Token introspection: where, and as which client (RFC 7662). */
export const introspectionFields = {
  url: optional(described(baseUrlText, 'The introspection URL; by default from the issuer’s metadata.')),
  clientId: described(text({ min: 1, max: 1_000 }), 'A client registered with the issuer.'),
  clientAuth: optional(
    described(introspectionClientAuth, 'How the client authenticates; client_secret_basic by default.'),
  ),
  /** The client's secret, sealed for this issuer, URL and client; absent until it is entered. */
  sealed: optional(text({ min: 1, max: 100_000 })),
};

/** The access policies, each with its fields. */
export const policyFields = {
  open: {},
  key: { header: optional(settableHeaderName), allowQuery: optional(flag()) },
  basic: {},
  /** People sign in at this gateway, through the app that they use; access keys work as well. */
  'sign-in': {},
  oauth: {
    /** The authorization server, exactly as its tokens name it. */
    issuer: baseUrlText,
    audience: optional(
      described(
        list(text({ min: 1, max: 1_000 }), { max: 100 }),
        'Accepted token audiences, if they differ from the server’s URL: a token must have one of these.',
      ),
    ),
    scopes: optional(described(list(scopeText, { max: 1_000 }), 'Every token needs all of these.')),
    introspection: optional(
      described(
        object(introspectionFields),
        'Check each token with the issuer instead of decoding it, for tokens that are not signed or can be revoked.',
      ),
    ),
    /** Tool ids by the scope that allows them; absent means that every token allows every tool. */
    toolScopes: optional(record(scopeText, list(idText, { max: 100_000 }), { max: 10_000 })),
  },
} as const;

const serverPolicy = variants('kind', policyFields);

/** Who may use a server. */
export type ServerPolicy = Infer<typeof serverPolicy>;

/** A policy that admits callers with a token from an external issuer. */
export type OAuthPolicy = Extract<ServerPolicy, { readonly kind: 'oauth' }>;

const promptArgument = object({
  name: withRule(text({ min: 1, max: 1_000 }), (name, report) => {
    if (name.trim() !== name || /[{}]/.test(name))
      report('', 'must have no braces, and no spaces around it: the text names it as {{name}}');
  }),
  description: optional(text({ max: maxDescription })),
  required: optional(flag()),
  values: optional(list(text({ max: 10_000 }), { max: 10_000 })),
});

/** The fields of a prompt written by an operator: text with `{{argument}}` placeholders. */
export const promptFields = {
  name: text({ min: 1, max: 64 }),
  title: optional(text({ max: 500 })),
  description: optional(text({ max: maxDescription })),
  arguments: withRule(list(promptArgument, { max: 1_000 }), (args, report) =>
    reportRepeated(args, ({ name }) => name, '/name', report),
  ),
  text: text({ max: 1_000_000 }),
};

const serverPrompt = object(promptFields);

export type ServerPrompt = Infer<typeof serverPrompt>;

/** The fields of a resource written by an operator, or of a GET tool exposed as a resource under a URI template. */
export const resourceFields = {
  uri: described(
    withRule(text({ min: 1, max: 10_000 }), (uri, report) => {
      const fault = uriFault(uri);
      if (fault !== null) report('', fault);
    }),
    'A URI, or a URI template with variables for arguments: docs://{topic}.',
  ),
  name: text({ min: 1, max: 500 }),
  title: optional(text({ max: 500 })),
  description: optional(text({ max: maxDescription })),
  mimeType: optional(text({ max: 500 })),
  text: optional(text({ max: 10_000_000 })),
};

function uriFault(uri: string): string | null {
  if (!/^[a-z][a-z\d+.-]*:/i.test(uri)) return 'must start with a scheme, such as docs://';
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

/** Either a text or a tool that provides it. */
const textOrTool: Rule<{ readonly text?: string; readonly toolId?: string }> = (resource, report) => {
  if ((resource.text === undefined) === (resource.toolId === undefined))
    report('', 'must have either a text or a tool');
};

/** A resource that can be read. */
export const resource = withRule(resourceForm, textOrTool);

/** An icon of a server. */
const icon = object({
  src: withRule(text({ min: 1, max: 1_000_000 }), (src, report) => {
    if (!/^(?:https?|data):/i.test(src) || !URL.canParse(src))
      report('', 'must be a URL that starts with https:, http: or data:');
  }),
  mimeType: optional(text({ max: 500 })),
  sizes: optional(list(text({ max: 100 }), { max: 100 })),
});

/** The names of the schema dialects for families of clients. */
export const dialectNames = ['strict', 'portable', 'cursor', 'gemini'] as const;

export type DialectName = (typeof dialectNames)[number];

/** How a server shows its tools: each in the list, found by search, or used from code; `auto` depends on the list's size. */
export const serverModes = ['auto', 'direct', 'search', 'code'] as const;

export type ServerMode = (typeof serverModes)[number];

/** The modes that one connection can be served in. */
export type ListMode = Exclude<ServerMode, 'auto'>;

/** The modes that a client may request if the operator allows all. */
export const listModes = ['direct', 'search', 'code'] as const satisfies readonly ListMode[];

/** The limits of scripts on a server; the gateway's defaults apply to what is absent. */
const codeRules = object({
  may: optional(
    described(
      choice(...toolKinds),
      'Which tools scripts may call: only those that read, also those that write (the default), or destructive ones too.',
    ),
  ),
  memoryMb: optional(described(integer({ min: 8, max: 256 }), 'Memory of one script, in MB; 64 by default.')),
  cpuMs: optional(
    described(integer({ min: 100, max: 60_000 }), 'CPU time of one script, in ms; 5,000 by default.'),
  ),
  wallMs: optional(
    described(
      integer({ min: 1_000, max: 600_000 }),
      'Total time of one script, including waiting, in ms; 30,000 by default.',
    ),
  ),
  calls: optional(
    described(integer({ min: 1, max: 1_000 }), 'Calls that one script may make; 100 by default.'),
  ),
  callsAtOnce: optional(
    described(integer({ min: 1, max: 50 }), 'Concurrent calls of one script; 10 by default.'),
  ),
});

/** What one group or person may use of a server. */
export const accessRuleFields = {
  group: optional(idText),
  person: optional(idText),
  kinds: optional(
    described(
      list(choice(...toolKinds), { min: 1, max: toolKinds.length }),
      'Only tools of these kinds; absent means any kind.',
    ),
  ),
  tools: optional(list(toolSelector, { max: 10_000 })),
  ratePerMinute: optional(
    described(integer({ min: 1, max: 1_000_000 }), 'Calls per minute of each caller under this rule.'),
  ),
};

const accessRule = withRule(object(accessRuleFields), ({ group, person }, report) => {
  if ((group === undefined) === (person === undefined)) report('', 'must name either a group or a person');
});

export type AccessRule = Infer<typeof accessRule>;

/** The fields of a server that its operator sets. */
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
      withRule(list(text({ min: 1, max: 100 }), { min: 1, max: 1_000 }), (entries, report) => {
        entries.forEach((entry, i) => {
          try {
            parseAddressList([entry]);
          } catch (error) {
            if (!(error instanceof RangeError)) throw error;
            report(`/${i}`, 'is neither an address nor a network: write it like 127.0.0.1 or 10.0.0.0/8');
          }
        });
      }),
      'Addresses and networks that may use it; for others it does not exist. Absent means any.',
    ),
  ),
  access: optional(
    described(
      list(accessRule, { max: 500 }),
      'Who among those that the policy admits may use it, by group and person. Several rules add up; an empty list means no one. Absent means everyone. Access keys without a person are not affected.',
    ),
  ),
  ratePerMinute: described(ratePerMinute, 'Calls per minute for each caller; 0 means no limit.'),
  dialect: optional(choice(...dialectNames)),
  prompts: optional(
    withRule(list(serverPrompt, { max: 1_000 }), (prompts, report) =>
      reportRepeated(prompts, ({ name }) => name, '/name', report),
    ),
  ),
  resources: optional(
    withRule(list(resource, { max: 10_000 }), (resources, report) =>
      reportRepeated(resources, ({ uri }) => uri, '/uri', report),
    ),
  ),
  /** Tools per page of `tools/list`; absent means no paging unless requested. */
  pageSize: optional(integer({ min: 1 })),
  ttlMs: optional(
    described(
      integer({ min: 0, max: 86_400_000 }),
      'How long clients may cache lists, in milliseconds; 0 by default, so that they ask again.',
    ),
  ),
  explorerReadOnly: optional(
    described(flag(), "Show tools on the server's explorer page, and refuse to call them there."),
  ),
  /** Absent means `auto`. */
  mode: optional(
    described(
      choice(...serverModes),
      'How tools are shown: direct lists each, search lists a few tools that find and call the others, code lists tools that find others and run scripts that call them, auto chooses by the size of the list in tokens.',
    ),
  ),
  clientModes: optional(
    described(
      list(choice(...listModes), { max: listModes.length }),
      'The modes that clients may choose with ?mode= in addition to the server’s own; absent means any.',
    ),
  ),
  listOutputSchemas: optional(
    described(
      flag(),
      'Include output schemas in the list of tools; they make up more than half of its tokens.',
    ),
  ),
  replyMaxTokens: optional(
    described(
      replyTokens,
      'The maximum tokens of one reply that a model reads; the rest is kept under a handle. 0 means no limit; absent means the gateway’s setting.',
    ),
  ),
  selectArgument: optional(
    described(
      flag(),
      'Add an argument _select to every listed tool, for a model to choose the fields it reads.',
    ),
  ),
  pageArguments: optional(
    described(
      flag(),
      'Add the arguments _all and _max_items to listed tools that return pages, and _wait to those that start long jobs.',
    ),
  ),
  code: optional(described(codeRules, 'Limits of scripts, for servers in code mode.')),
  piiRules: optional(piiRules),
  enabled: flag(),
};

function reportRepeated<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  field: string,
  report: (path: string, message: string) => void,
): void {
  const seen = new Set<string>();
  items.forEach((item, at) => {
    const key = keyOf(item);
    if (seen.has(key)) report(`/${at}${field}`, 'is listed twice');
    seen.add(key);
  });
}

/** A published MCP server at `/mcp/{slug}`. */
export const server = object({ ...rowFields, ...serverFields });

export type Server = Infer<typeof server>;

/** The slug of the server that has every tool. */
export const defaultServerSlug = 'default';

/** The initial state of the server that every installation has. */
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
