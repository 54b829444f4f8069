/** One rule of a server's choice of tools. `all` picks everything, now and later. */
export type ToolSelector =
  | { readonly all: true }
  | { readonly apiId: string; readonly tag?: string }
  | { readonly tag: string }
  | { readonly toolId: string };

/** What a server says differently about one of its tools. */
export interface ToolOverride {
  readonly name?: string;
  readonly description?: string;
}

/** Who may use a server. */
export type ServerPolicy =
  | { readonly kind: 'open' }
  | { readonly kind: 'key'; readonly header?: string; readonly allowQuery?: boolean }
  | { readonly kind: 'basic' }
  | {
      readonly kind: 'oauth';
      /** The authorization server, exactly as its tokens name it. */
      readonly issuer: string;
      /** Every token needs all of these. */
      readonly scopes?: readonly string[];
      /** Tool ids by the scope that opens them; absent means that every token opens every tool. */
      readonly toolScopes?: Readonly<Record<string, readonly string[]>>;
    };

/** A prompt that an operator wrote: text with `{{argument}}` placeholders. */
export interface ServerPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly values?: readonly string[];
  }[];
  readonly text: string;
}

/** A resource that an operator wrote, or a GET tool made readable under a URI template. */
export interface ServerResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly toolId?: string;
}

export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
}

/** A published MCP server at `/mcp/{slug}`. */
export interface Server {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly icons?: readonly Icon[];
  readonly tools: readonly ToolSelector[];
  /** By tool id. */
  readonly overrides: Readonly<Record<string, ToolOverride>>;
  readonly policy: ServerPolicy;
  /** Calls a minute for each caller; 0 means no limit. */
  readonly ratePerMinute: number;
  readonly dialect?: string;
  readonly prompts?: readonly ServerPrompt[];
  readonly resources?: readonly ServerResource[];
  /** Tools a page when a client pages `tools/list`; absent means never page unless asked. */
  readonly pageSize?: number;
  readonly enabled: boolean;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

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
