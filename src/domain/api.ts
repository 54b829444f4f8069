import { parseNetworkList } from '../lib/network/network-list.ts';
import {
  choice,
  described,
  flag,
  type Infer,
  list,
  object,
  optional,
  record,
  type Rule,
  text,
  withRule,
} from '../lib/schema/schema.ts';
import { trimEndOf } from '../lib/text/tidy-text.ts';
import { baseUrlText, originText } from './fields/addresses.ts';
import { serverTemplate } from './fields/server-template.ts';
import { type AuthScheme, authScheme, canBeOwn } from './auth-scheme.ts';
import { secretPlaces } from './secret-fields.ts';
import { headerName, headerValue, settableHeaderName } from './fields/header-names.ts';
import { limitOverrides } from './limits.ts';
import { slugText } from './names.ts';
import { piiRules } from './pii-rules.ts';
import { intervalMs, maxDescription, rowFields, timeMs } from './fields/row-fields.ts';
import { toolKinds } from './tool.ts';

const words = list(text({ max: 4_000 }), { max: 100_000 });

/** Which operations of a document become tools: of every given list, one value must match. */
const importSelection = object({
  tags: optional(words),
  methods: optional(words),
  /** Path templates; `*` matches anything. */
  paths: optional(words),
  /** Tool names or operation ids; `*` matches anything. */
  names: optional(words),
  /** What a call of the tool does. */
  kinds: optional(list(choice(...toolKinds), { max: toolKinds.length })),
  /** Exact keys of operations. */
  operations: optional(list(text({ max: 40_000 }), { max: 100_000 })),
});

export type ImportSelection = Infer<typeof importSelection>;

/** How parameters are treated: shown to the model, hidden, or fixed to a value. */
export const parameterRules = object({
  headers: optional(choice('expose', 'hide')),
  cookies: optional(choice('expose', 'hide')),
  /** Optional parameters for output format, debugging or transport, such as `prettyPrint`; hidden by default. */
  technical: optional(choice('expose', 'hide')),
  /** Send the slashes of path arguments that the document marks as paths (`{+name}`, `allowReserved`). */
  slashes: optional(flag()),
  /** By the parameter's name on the wire, in any place, ignoring case; overrides the rules above. */
  fix: optional(record(text({ max: 1_000 }), text({ max: 64_000 }), { max: 10_000 })),
});

export type ParameterRules = Infer<typeof parameterRules>;

/** A list of valid addresses that calls may go to. */
export const egressList = withRule(list(text({ min: 1, max: 300 }), { max: 1_000 }), (entries, report) => {
  entries.forEach((entry, i) => {
    try {
      parseNetworkList([entry]);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      report(`/${i}`, `cannot be read: ${error.message.replace(/\.$/, '')}`);
    }
  });
});

/** What a call can say about its caller. */
export const identityClaims = [
  'sub',
  'kind',
  'name',
  'email',
  'groups',
  'role',
  'issuer',
  'subject',
  'server',
] as const;

export type IdentityClaim = (typeof identityClaims)[number];

const identityClaim = choice(...identityClaims);

/** Headers that authenticate to an API, or belong to no one: who is calling is said in another. */
const identityHeader = withRule(settableHeaderName, (name, report) => {
  if (/^(?:authorization|cookie|proxy-.*)$/i.test(name)) report('', 'cannot say who is calling');
});

/** How calls to an API say who is calling. */
const callerIdentity = withRule(
  object({
    /** The header of a signed token (JWT); absent for none. */
    header: optional(identityHeader),
    /** Who the token is for; the origin of the base URL unless set. */
    audience: optional(text({ min: 1, max: 1_000 })),
    /** What the token says beyond `sub`. */
    claims: optional(list(identityClaim, { max: identityClaims.length })),
    /** Plain headers, each with one claim. */
    headers: optional(record(identityHeader, identityClaim, { max: 20 })),
  }),
  ({ header, headers = {} }, report) => {
    const names = [...(header === undefined ? [] : [header]), ...Object.keys(headers)].map((name) =>
      name.toLowerCase(),
    );
    if (names.length === 0) report('', 'needs a header for the token, or headers for claims');
    if (new Set(names).size !== names.length) report('/headers', 'names a header twice');
  },
);

export type CallerIdentity = Infer<typeof callerIdentity>;

/** The headers that tell an API who is calling; no one else may set them. */
export function identityHeaders({
  identity,
}: {
  readonly identity?: CallerIdentity | undefined;
}): readonly string[] {
  if (identity === undefined) return [];
  return [
    ...(identity.header === undefined ? [] : [identity.header]),
    ...Object.keys(identity.headers ?? {}),
  ];
}

/** How often the URL that an API was imported from is checked for changes. */
export const watchInterval = intervalMs(60_000);

const contentFields = {
  name: text({ min: 1, max: 500 }),
  description: optional(text({ max: maxDescription })),
  /** The paths of operations are appended to it. */
  baseUrl: described(baseUrlText, 'Scheme, host and path prefix.'),
  /** Other base URLs in the document. */
  otherBaseUrls: optional(list(baseUrlText, { max: 1_000 })),
  /** The base URL as written in the document, with variables; removed once someone edits the base URL. */
  serverTemplate: optional(serverTemplate),
  /** An operation's fixed header of the same name takes precedence; an argument never does. */
  headers: described(record(settableHeaderName, headerValue, { max: 200 }), 'Sent with every request.'),
  auth: authScheme,
};

const apiContent = object(contentFields);

/** The part of an API that an import can set and people can edit. */
export type ApiContent = Infer<typeof apiContent>;

/** An overlay for an API's document (https://spec.openapis.org/overlay/v1.1.0.html), as submitted. */
export const documentOverlay = object({
  name: text({ min: 1, max: 500 }),
  text: text({ min: 1, max: 2_000_000 }),
});

export type DocumentOverlay = Infer<typeof documentOverlay>;

/** The formats that an API can be imported from. */
export const sourceKinds = ['openapi', 'postman', 'har', 'curl', 'handsai', 'handrail'] as const;

/** The source of an API's description, kept so that it can be refreshed and compared. */
const apiSource = object({
  kind: choice(...sourceKinds),
  /** The URL it was fetched from; absent for an upload. */
  url: optional(text({ max: 10_000 })),
  /** SHA-256 of the document, to detect changes. */
  documentHash: text({ max: 200 }),
  importedAtMs: timeMs,
  /** Absent means never. */
  watchEveryMs: optional(watchInterval),
  /** Changes in the document that affect a tool's meaning need an operator's approval. */
  approveChanges: optional(flag()),
  /** The selected operations, also for a refresh. Absent means all. */
  selection: optional(importSelection),
  /** The rules for parameters, also for a refresh. Absent means that all are shown. */
  rules: optional(parameterRules),
  /** Overlays applied to the document before it is read, in order, also for a refresh. */
  overlays: optional(list(documentOverlay, { max: 20 })),
  /** Keys of operations whose tools were deleted manually: they are not imported again unless selected by name. */
  leftOut: optional(list(text({ max: 40_000 }), { max: 100_000 })),
  /** The API as the document described it, to distinguish manual edits from changes in the document. */
  imported: optional(apiContent),
});

export type ApiSource = Infer<typeof apiSource>;

/** The fields of an API that its operator sets. */
export const apiFields = {
  slug: slugText,
  ...contentFields,
  limits: limitOverrides,
  /** Narrows the installation's egress allow-list for this API; never widens it. */
  egressAllow: optional(described(egressList, 'Narrows the installation’s egress allow-list for this API.')),
  forwardHeaders: optional(
    described(list(headerName, { max: 100 }), 'Client headers that are forwarded, by name.'),
  ),
  allowHeaders: optional(
    described(
      list(settableHeaderName, { max: 100 }),
      'Headers that tools may set although they say who is sending the request, from where or with which method (`Cookie`, `X-Forwarded-For`, `_method`), by name.',
    ),
  ),
  /** Whether a caller without its own credential may use the shared one. */
  sharedCredential: optional(flag()),
  ownAccounts: optional(
    described(
      flag(),
      'Each person connects their own account at the API: calls of people use it, and never a shared credential.',
    ),
  ),
  identity: optional(
    described(
      callerIdentity,
      'Headers that say who is calling: a token signed by this gateway, and single claims. Callers and tools cannot set them.',
    ),
  ),
  /** The path is below the base URL. */
  probe: optional(
    described(
      object({ path: text({ max: 4_000 }), everyMs: intervalMs(1_000) }),
      'A path that is requested regularly; an API that does not answer is unhealthy.',
    ),
  ),
  listUnhealthy: optional(described(flag(), 'Keep listing its tools while it is unhealthy.')),
  ignoreErrorBodies: optional(
    described(
      flag(),
      'Take a reply with a status of success for one even if its body reports an error, such as `ok: false`.',
    ),
  ),
  piiRules: optional(piiRules),
  enabled: flag(),
};

const apiForm = object({
  ...rowFields,
  ...apiFields,
  /** The demo API that ships with Handrail: its base URL cannot be edited. */
  builtIn: optional(flag()),
  /** Origins that its document names for operations, and that someone agreed to send its secrets to. */
  agreedOrigins: optional(list(originText, { max: 1_000 })),
  source: optional(apiSource),
});

/** A registered upstream REST API. */
export type Api = Infer<typeof apiForm>;

/** The reserved base URL of the demo API; `upstream/` maps it to this process's own listener. */
export const demoBaseUrl = 'http://demo.handrail.invalid';

/** Rules that involve several fields of an API. */
export const apiFitsTogether: Rule<
  Pick<Api, 'baseUrl' | 'probe' | 'builtIn' | 'ownAccounts' | 'identity'> & {
    readonly auth?: AuthScheme;
    readonly headers?: Readonly<Record<string, string>>;
  }
> = (api, report) => {
  const base = new URL(api.baseUrl);
  if (base.origin === demoBaseUrl && api.builtIn !== true)
    report('/baseUrl', 'is reserved for the built-in demo API');
  const taken = new Set(
    [
      ...Object.keys(api.headers ?? {}),
      ...secretPlaces(api.auth ?? { kind: 'none' })
        .filter((place) => place.in === 'header')
        .map(({ name }) => name),
    ].map((name) => name.toLowerCase()),
  );
  if (identityHeaders(api).some((name) => taken.has(name.toLowerCase())))
    report('/identity', 'names a header that the API or its credential sets');
  if (api.ownAccounts === true && !canBeOwn(api.auth ?? { kind: 'none' }))
    report(
      '/ownAccounts',
      'needs an authentication that can be a person’s own: not none, an OAuth 2.0 grant other than the authorization code, or a combination with OAuth 2.0',
    );
  const probed = api.probe === undefined ? null : probeUrl(api.baseUrl, api.probe.path);
  if (api.probe !== undefined && probed?.origin !== base.origin)
    report('/probe/path', 'must be a path below the base URL, such as /health');
};

/** The URL of a probe; null if the path cannot be parsed. */
export function probeUrl(baseUrl: string, path: string): URL | null {
  // More than one leading slash would name another host, or leave the base's own path.
  const below = path.replace(/^\/+/, '');
  const base = `${trimEndOf(baseUrl, '/')}/`;
  return URL.canParse(below, base) ? new URL(below, base) : null;
}

/** The schema of a stored API. */
export const api = withRule(apiForm, apiFitsTogether);
