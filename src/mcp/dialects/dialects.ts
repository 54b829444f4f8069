import { maxToolNameLength, nameInClients } from '../../domain/names.ts';
import type { DialectName } from '../../domain/server.ts';
import type { PortableRules } from './portable-schema.ts';

/** How tools are written for one family of clients. */
export interface Dialect {
  readonly name: DialectName;
  /** Null keeps schemas as they are stored. */
  readonly rules: PortableRules | null;
  /** The maximum length of a tool name, given the server's slug. */
  readonly maxNameLength: (slug: string) => number;
  readonly maxDescriptionLength: number;
  /** Whether the tool's output schema is shown. */
  readonly outputSchema: boolean;
}

const commonFormats = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
]);
const portable: PortableRules = { formats: commonFormats, without: new Set() };

/** Every dialect by name; docs/reference/mcp.md lists them. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  strict: {
    name: 'strict',
    rules: null,
    maxNameLength: () => 128,
    maxDescriptionLength: Infinity,
    outputSchema: true,
  },
  portable: {
    name: 'portable',
    rules: portable,
    maxNameLength: () => maxToolNameLength,
    maxDescriptionLength: 1024,
    outputSchema: false,
  },
  // Limits the tool's name together with the server's name in the user's configuration to 60 characters.
  cursor: {
    name: 'cursor',
    rules: portable,
    maxNameLength: (slug) => Math.max(20, 59 - nameInClients(slug).length),
    maxDescriptionLength: 1024,
    outputSchema: false,
  },
  // Reads OpenAPI's subset of JSON Schema: few formats, no rules about additional properties.
  gemini: {
    name: 'gemini',
    rules: {
      formats: new Set(['date-time', 'enum']),
      without: new Set([
        'additionalProperties',
        'default',
        'exclusiveMinimum',
        'exclusiveMaximum',
        'multipleOf',
        'uniqueItems',
      ]),
    },
    maxNameLength: () => 63,
    maxDescriptionLength: 1024,
    outputSchema: false,
  },
};

/** Whether a text is the name of a dialect. */
export function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(dialects, name);
}

// Prefixes, in lowercase, of the names that clients send in `clientInfo`.
const knownClients: readonly (readonly [string, DialectName])[] = [
  ['cursor', 'cursor'],
  ['gemini', 'gemini'],
  ['antigravity', 'gemini'],
  ['windsurf', 'portable'],
  ['codeium', 'portable'],
  ['visual studio code', 'portable'],
  ['vscode', 'portable'],
  ['github-copilot', 'portable'],
  ['copilot', 'portable'],
  ['openai', 'portable'],
  ['codex', 'portable'],
  ['chatgpt', 'portable'],
  ['amazon-q', 'portable'],
  ['q-dev-cli', 'portable'],
];

const byClient = new Map<string, DialectName>();
const maxRemembered = 1_000;

/** The dialect of a client by its name; `strict` for every unknown client. */
function dialectOfClient(clientName: string): DialectName {
  let name = byClient.get(clientName);
  if (name === undefined) {
    const lower = clientName.toLowerCase();
    name = knownClients.find(([prefix]) => lower.startsWith(prefix))?.[1] ?? 'strict';
    if (byClient.size >= maxRemembered) byClient.clear();
    byClient.set(clientName, name);
  }
  return name;
}

/** The dialect that a request's URL asks for. */
export function dialectParameter(req: { readonly url?: string | undefined }): string | undefined {
  const query = req.url?.indexOf('?') ?? -1;
  return query === -1 ? undefined : (new URLSearchParams(req.url!.slice(query)).get('dialect') ?? undefined);
}

/**
 * The dialect of one request: the one in its URL (`?dialect=`), else the one set by the server's operator, else the
 * one that the client's name suggests.
 */
export function chooseDialect(
  requested: string | undefined,
  serverSetting: string | undefined,
  clientName: string | undefined,
): Dialect {
  if (requested !== undefined && isDialectName(requested)) return dialects[requested];
  if (serverSetting !== undefined && isDialectName(serverSetting)) return dialects[serverSetting];
  return clientName === undefined ? dialects.strict : dialects[dialectOfClient(clientName)];
}
