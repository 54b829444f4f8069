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
import { authScheme } from './auth-scheme.ts';
import { headerName, headerValue, settableHeaderName } from './fields/header-names.ts';
import { limitOverrides } from './limits.ts';
import { slugText } from './names.ts';
import { intervalMs, maxDescription, rowFields, timeMs } from './fields/row-fields.ts';

const words = list(text({ max: 4_000 }), { max: 100_000 });

/** Which operations of a document become tools: one of the values of every list given must fit. */
const importSelection = object({
  tags: optional(words),
  methods: optional(words),
  /** Path templates; `*` stands for anything. */
  paths: optional(words),
  /** Tool names or operation ids; `*` stands for anything. */
  names: optional(words),
  /** Keys of operations, exactly. */
  operations: optional(list(text({ max: 40_000 }), { max: 100_000 })),
});

export type ImportSelection = Infer<typeof importSelection>;

/** What becomes of parameters: shown to the model, hidden, or fixed to a value. */
export const parameterRules = object({
  headers: optional(choice('expose', 'hide')),
  cookies: optional(choice('expose', 'hide')),
  /** Send the slashes of path arguments that the document marks as paths (`{+name}`, `allowReserved`). */
  slashes: optional(flag()),
  /** By parameter name on the wire, wherever it stands, letter case ignored: wins over the rules above. */
  fix: optional(record(text({ max: 1_000 }), text({ max: 64_000 }), { max: 10_000 })),
});

export type ParameterRules = Infer<typeof parameterRules>;

/** A list of addresses that calls may go to, each of which can be read. */
export const egressList = withRule(list(text({ min: 1, max: 300 }), { max: 1_000 }), (entries, tell) => {
  entries.forEach((entry, i) => {
    try {
      parseNetworkList([entry]);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      tell(`/${i}`, `cannot be read: ${error.message.replace(/\.$/, '')}`);
    }
  });
});

/** How often the address that an API came from is looked at for changes. */
export const watchInterval = intervalMs(60_000);

const contentFields = {
  name: text({ min: 1, max: 500 }),
  description: optional(text({ max: maxDescription })),
  /** Operations' paths are appended. */
  baseUrl: described(baseUrlText, 'Scheme, host and path prefix.'),
  /** Base URLs the document offered besides the chosen one. */
  otherBaseUrls: optional(list(baseUrlText, { max: 1_000 })),
  /** The base URL as the document wrote it, with variables; gone once somebody writes the base URL by hand. */
  serverTemplate: optional(serverTemplate),
  /** An operation's fixed header of the same name wins; an argument never does. */
  headers: described(record(settableHeaderName, headerValue, { max: 200 }), 'Sent with every request.'),
  auth: authScheme,
};

const apiContent = object(contentFields);

/** The part of an API that an import can write and a person can edit. */
export type ApiContent = Infer<typeof apiContent>;

/** A document of changes to an API's own (https://spec.openapis.org/overlay/v1.1.0.html), as it was handed in. */
export const documentOverlay = object({
  name: text({ min: 1, max: 500 }),
  text: text({ min: 1, max: 2_000_000 }),
});

export type DocumentOverlay = Infer<typeof documentOverlay>;

/** The kinds of documents that an API can be imported from. */
export const sourceKinds = ['openapi', 'postman', 'har', 'curl', 'handsai', 'handrail'] as const;

/** Where an API's description came from, kept so that it can be refreshed and compared. */
const apiSource = object({
  kind: choice(...sourceKinds),
  /** The address it was fetched from; absent for an upload. */
  url: optional(text({ max: 10_000 })),
  /** SHA-256 of the document, to tell an unchanged one. */
  documentHash: text({ max: 200 }),
  importedAtMs: timeMs,
  /** Absent means never. */
  watchEveryMs: optional(watchInterval),
  /** Tools whose meaning changed upstream wait for an operator's approval. */
  approveChanges: optional(flag()),
  /** Which operations were chosen; a refresh chooses the same. Absent means all. */
  selection: optional(importSelection),
  /** What became of parameters; a refresh does the same. Absent means that all are shown. */
  rules: optional(parameterRules),
  /** Overlays that change the document before it is read, in their order; a refresh applies them again. */
  overlays: optional(list(documentOverlay, { max: 20 })),
  /** Keys of operations whose tools a person deleted: they stay away until they are chosen by name. */
  leftOut: optional(list(text({ max: 40_000 }), { max: 100_000 })),
  /** The API as the document described it, to tell hand edits from changes upstream. */
  imported: optional(apiContent),
});

export type ApiSource = Infer<typeof apiSource>;

/** The fields of an API that its operator decides about. */
export const apiFields = {
  slug: slugText,
  ...contentFields,
  limits: limitOverrides,
  /** Narrows the installation's egress allow-list for this API; never widens it. */
  egressAllow: optional(described(egressList, 'Narrows the installation’s egress allow-list for this API.')),
  forwardHeaders: optional(
    described(list(headerName, { max: 100 }), 'Client headers that are passed on, by name.'),
  ),
  allowHeaders: optional(
    described(
      list(settableHeaderName, { max: 100 }),
      'Headers that tools may set although they say who is asking, from where or with which method (`Cookie`, `X-Forwarded-For`, `_method`), by name.',
    ),
  ),
  /** A caller without a credential of its own may use the shared one. */
  sharedCredential: optional(flag()),
  /** The path is below the base URL. */
  probe: optional(
    described(
      object({ path: text({ max: 4_000 }), everyMs: intervalMs(1_000) }),
      'A path that is asked now and then; an API that does not answer it is unhealthy.',
    ),
  ),
  listUnhealthy: optional(described(flag(), 'Keep listing its tools while it is unhealthy.')),
  enabled: flag(),
};

const apiForm = object({
  ...rowFields,
  ...apiFields,
  /** The demo API that ships with Handrail: its address cannot be edited. */
  builtIn: optional(flag()),
  /** Origins that its document names for operations, and that a person agreed to send its secrets to. */
  agreedOrigins: optional(list(originText, { max: 1_000 })),
  source: optional(apiSource),
});

/** A registered upstream REST API. */
export type Api = Infer<typeof apiForm>;

/** The reserved base URL of the demo API; `upstream/` maps it to this process's own listener. */
export const demoBaseUrl = 'http://demo.handrail.invalid';

/** What the fields of an API must be together. */
export const apiFitsTogether: Rule<Pick<Api, 'baseUrl' | 'probe' | 'builtIn'>> = (api, tell) => {
  const base = new URL(api.baseUrl);
  if (base.origin === demoBaseUrl && api.builtIn !== true)
    tell('/baseUrl', 'is reserved for the built-in demo API');
  const probed = api.probe === undefined ? null : probeUrl(api.baseUrl, api.probe.path);
  if (api.probe !== undefined && probed?.origin !== base.origin)
    tell('/probe/path', 'must be a path below the base URL, such as /health');
};

/** The address that a probe asks; null when the path cannot be read. */
export function probeUrl(baseUrl: string, path: string): URL | null {
  // More than one slash in front would name another host, or leave the base's own path.
  const below = path.replace(/^\/+/, '');
  const base = `${trimEndOf(baseUrl, '/')}/`;
  return URL.canParse(below, base) ? new URL(below, base) : null;
}

/** A registered upstream REST API, as it may be stored. */
export const api = withRule(apiForm, apiFitsTogether);
