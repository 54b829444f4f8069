import type { AuthScheme } from './auth-scheme.ts';
import { HandrailError } from './errors.ts';
import type { LimitOverrides } from './limits.ts';

/** Where an API's description came from, kept so that it can be refreshed and compared. */
export interface ApiSource {
  readonly kind: 'openapi' | 'postman' | 'har' | 'curl' | 'handsai' | 'handrail';
  /** The address it was fetched from; absent for an upload. */
  readonly url?: string;
  /** SHA-256 of the document, to tell an unchanged one. */
  readonly documentHash: string;
  readonly importedAtMs: number;
  /** How often the address is looked at for changes; absent means never. */
  readonly watchEveryMs?: number;
  /** Tools whose meaning changed upstream wait for an operator's approval. */
  readonly approveChanges?: boolean;
  /** Which operations were chosen; a refresh chooses the same. Absent means all. */
  readonly selection?: ImportSelection;
  /** What became of header and cookie parameters; a refresh does the same. Absent means that all are shown. */
  readonly rules?: ParameterRules;
  /** Keys of operations whose tools a person deleted: they stay away until they are chosen by name. */
  readonly leftOut?: readonly string[];
  /** The API as the document described it, to tell hand edits from changes upstream. */
  readonly imported?: ApiContent;
}

/** The part of an API that an import can write and a person can edit. */
export type ApiContent = Pick<Api, 'name' | 'description' | 'baseUrl' | 'otherBaseUrls' | 'headers' | 'auth'>;

/** Which operations of a document become tools: one of the values of every list given must fit. */
export interface ImportSelection {
  readonly tags?: readonly string[];
  readonly methods?: readonly string[];
  /** Path templates; `*` stands for anything. */
  readonly paths?: readonly string[];
  /** Tool names or operation ids; `*` stands for anything. */
  readonly names?: readonly string[];
  /** Keys of operations, exactly. */
  readonly operations?: readonly string[];
}

/** What becomes of header and cookie parameters: shown to the model, hidden, or fixed to a value. */
export interface ParameterRules {
  readonly headers?: 'expose' | 'hide';
  readonly cookies?: 'expose' | 'hide';
  /** By parameter name on the wire, letter case ignored: wins over the rules above. */
  readonly fix?: Readonly<Record<string, string>>;
}

/** A registered upstream REST API. */
export interface Api {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description?: string;
  /** Scheme, host and path prefix; operations' paths are appended. */
  readonly baseUrl: string;
  /** Base URLs the document offered besides the chosen one. */
  readonly otherBaseUrls?: readonly string[];
  /** Sent with every request; an operation's own header of the same name wins. */
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: AuthScheme;
  readonly limits: LimitOverrides;
  /** Narrows the installation's egress allow-list for this API; never widens it. */
  readonly egressAllow?: readonly string[];
  /** Client headers that are passed on, by name. */
  readonly forwardHeaders?: readonly string[];
  /** A caller without a credential of its own may use the shared one. */
  readonly sharedCredential?: boolean;
  /** A path below the base URL that is asked now and then; an API that does not answer it is unhealthy. */
  readonly probe?: { readonly path: string; readonly everyMs: number };
  /** Keep listing its tools while it is unhealthy. */
  readonly listUnhealthy?: boolean;
  readonly enabled: boolean;
  /** The demo API that ships with Handrail: its address cannot be edited. */
  readonly builtIn?: boolean;
  readonly source?: ApiSource;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The reserved base URL of the demo API; `upstream/` maps it to this process's own listener. */
export const demoBaseUrl = 'http://demo.handrail.invalid';

/** Parses a base URL and refuses what no call could be built on. */
export function parseBaseUrl(text: string): URL {
  const refuse = (why: string): never => {
    throw new HandrailError('invalid_input', `The base URL ${why}.`, {
      problems: [{ path: '/baseUrl', message: why }],
    });
  };
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return refuse('is not an absolute URL such as https://api.example.com/v1');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse('must begin with http:// or https://');
  if (url.username || url.password)
    return refuse('must not hold a user name or password: store them as a credential');
  if (url.hash) return refuse('must not have a fragment (#…)');
  return url;
}
