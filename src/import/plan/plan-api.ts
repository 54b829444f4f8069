import type { Api, ApiContent, ApiSource, ImportSelection } from '../../domain/api.ts';
import type { ApiDescription, ImportNote } from '../../domain/description.ts';
import { asParsed, baseUrlFault, unsetBaseUrl } from '../../domain/fields/addresses.ts';
import { filledAddress, type ServerTemplate, withVariables } from '../../domain/fields/server-template.ts';
import { newId } from '../../domain/ids.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import { slugFrom } from '../../lib/text/slug.ts';
import type { CurrentState, ImportPlan, PlanOptions } from './import-plan.ts';
import { diff } from '../../domain/field-changes.ts';
import { merge } from './merge.ts';
import { unmask } from '../formats/handrail/unmask.ts';

type ApiPlan = Pick<ImportPlan, 'api' | 'isNewApi' | 'apiFields' | 'writesApi'> & {
  readonly notes: readonly ImportNote[];
};

/** Plans the changes to the API itself. */
export function planApi(
  description: ApiDescription,
  current: CurrentState,
  options: PlanOptions,
  choice: { readonly selection?: ImportSelection; readonly leftOut: readonly string[] },
): ApiPlan {
  const [first, ...others] = description.baseUrls;
  const notes: ImportNote[] = [];
  const template = templateFor(description, current.api, options, notes);
  const filled = template && filledAddress(template);
  const given = options.baseUrl === undefined ? undefined : asParsed(options.baseUrl);
  const baseUrl = given ?? filled ?? first ?? current.api?.baseUrl ?? unsetBaseUrl;
  if (baseUrl === unsetBaseUrl && template === undefined) {
    notes.push({
      code: 'base_url_unset',
      message:
        'The document has no server URL that can be called: set the base URL (--base-url on the command line, or edit the API).',
    });
  }
  const fresh: ApiContent = {
    name: description.name,
    ...(description.description !== undefined && { description: description.description }),
    baseUrl,
    ...(template && (filled === baseUrl || filled === null) && { serverTemplate: template }),
    ...(others.length > 0 && { otherBaseUrls: others }),
    headers: {
      ...description.headers,
      ...currentValues(description.maskedHeaders ?? [], current.api, notes),
    },
    auth: options.auth ?? description.auth,
  };
  const source: ApiSource = {
    kind: description.kind,
    ...((options.sourceUrl ?? current.api?.source?.url) !== undefined && {
      url: options.sourceUrl ?? current.api!.source!.url!,
    }),
    documentHash: options.documentHash,
    importedAtMs: options.nowMs,
    ...keep('watchEveryMs', options.watchEveryMs ?? current.api?.source?.watchEveryMs),
    ...keep('approveChanges', options.approveChanges ?? current.api?.source?.approveChanges),
    ...keep('selection', choice.selection),
    ...keep('rules', ifAny(options.rules ?? current.api?.source?.rules)),
    ...keep('overlays', ifAny(options.overlays ?? current.api?.source?.overlays)),
    ...(choice.leftOut.length > 0 && { leftOut: choice.leftOut }),
    imported: fresh,
  };
  if (!current.api) {
    const api: Api = {
      id: newId('api', options.nowMs),
      slug: options.slug ?? freeSlug(description.wantedSlug, current.isSlugTaken),
      ...(description.kind === 'handrail'
        ? unmask({ ...fresh, limits: {}, enabled: true, ...description.settings }, null, noteMissing(notes))
        : { ...fresh, limits: {}, enabled: true, source }),
      // Not part of the imported content: a refresh would take it for what the document said before.
      ...keep('name', options.name),
      revision: 1,
      createdAtMs: options.nowMs,
      updatedAtMs: options.nowMs,
    };
    return { api, isNewApi: true, apiFields: [], writesApi: true, notes };
  }
  if (description.kind === 'handrail') return replaceApi(current.api, fresh, description, options, notes);
  return planKnownApi(current.api, fresh, source, options, notes);
}

function planKnownApi(
  api: Api,
  fresh: ApiContent,
  source: ApiSource,
  options: PlanOptions,
  notes: ImportNote[],
): ApiPlan {
  const base = api.source?.imported ?? contentOfApi(api);
  const apiFields = diff(base, fresh);
  // The destination and authentication of calls are up to the operator: a document must not move a stored secret to
  // another host.
  const wanted: ApiContent = {
    ...fresh,
    baseUrl: options.baseUrl === undefined && options.variables === undefined ? api.baseUrl : fresh.baseUrl,
    auth: options.auth ?? (api.auth.kind === 'none' ? fresh.auth : api.auth),
  };
  for (const field of apiFields) {
    if (field.path === '/baseUrl' && fresh.baseUrl !== wanted.baseUrl)
      notes.push({
        code: 'server_changed',
        message: `The document now names ${fresh.baseUrl}; calls still go to ${api.baseUrl}. Edit the API to change that.`,
      });
    if (field.path.startsWith('/auth') && api.auth.kind !== 'none' && options.auth === undefined)
      notes.push({
        code: 'authentication_changed',
        message: 'The document now requires different authentication; edit the API to change it.',
      });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each part of a merge is taken from one of three of this type; the commit parses the result
  const { serverTemplate, ...merged } = merge(base, wanted, contentOfApi(api), []) as ApiContent;
  const { serverTemplate: _before, ...rest } = api;
  const next: Api = {
    ...rest,
    ...merged,
    ...serverTemplateFor(wanted.baseUrl, options.variables ? fresh.serverTemplate : serverTemplate),
    ...keep('name', options.name),
    baseUrl: wanted.baseUrl,
    auth: wanted.auth,
    source,
    revision: api.revision + 1,
    updatedAtMs: options.nowMs,
  };
  const { importedAtMs: _now, ...newSource } = source;
  const { importedAtMs: _then, ...oldSource } = api.source ?? { importedAtMs: 0 };
  const writesApi = !sameJson(contentOfApi(next), contentOfApi(api)) || !sameJson(newSource, oldSource);
  return { api: writesApi ? next : api, isNewApi: false, apiFields, writesApi, notes };
}

/** The document's server URL with variables, and their given or current values. */
function templateFor(
  { serverTemplate: described }: ApiDescription,
  api: Api | null,
  options: PlanOptions,
  notes: ImportNote[],
): ServerTemplate | undefined {
  if (options.variables) return withVariables(described ?? api?.serverTemplate, options.variables);
  if (described === undefined || options.baseUrl !== undefined) return undefined;
  const filled = filledAddress(described);
  if (filled !== null && baseUrlFault(filled) !== null) return undefined;
  // Values that an operator already set are not asked for again.
  const isKnown =
    api !== null && (api.serverTemplate === undefined || filledAddress(api.serverTemplate) !== null);
  for (const [name, { value, description, allowed }] of isKnown ? [] : Object.entries(described.variables))
    notes.push({
      code: 'server_variable',
      message: `The base URL has a variable: {${name}}${description ? ` (${description})` : ''}, ${value === '' ? 'which has no value yet' : `currently "${value}"`}. Set it on the API, or with --variable ${name}=${allowed?.slice(0, 5).join('|') ?? 'VALUE'}.`,
    });
  return described;
}

// Drops the variables if they no longer produce the base URL, because someone edited it.
function serverTemplateFor(
  baseUrl: string,
  serverTemplate: ServerTemplate | undefined,
): Pick<ApiContent, 'serverTemplate'> {
  if (serverTemplate === undefined) return {};
  const filled = filledAddress(serverTemplate);
  return filled === null || filled === baseUrl ? { serverTemplate } : {};
}

function replaceApi(
  api: Api,
  fresh: ApiContent,
  description: ApiDescription,
  options: PlanOptions,
  notes: ImportNote[],
): ApiPlan {
  const { agreedOrigins: _elsewhere, ...settings } = description.settings ?? {};
  const said = unmask({ ...fresh, ...settings }, api, noteMissing(notes));
  const next: Api = {
    id: api.id,
    slug: api.slug,
    ...(api.builtIn !== undefined && { builtIn: api.builtIn }),
    limits: {},
    enabled: true,
    ...said,
    // As with any import, a document does not move stored secrets to another host.
    baseUrl: options.baseUrl === undefined ? api.baseUrl : fresh.baseUrl,
    auth: api.auth,
    ...keep('agreedOrigins', api.agreedOrigins),
    revision: api.revision,
    createdAtMs: api.createdAtMs,
    updatedAtMs: api.updatedAtMs,
  };
  if (said.baseUrl !== next.baseUrl) {
    notes.push({
      code: 'server_changed',
      message: `The export names ${fresh.baseUrl}; calls still go to ${api.baseUrl}. Edit the API to change that.`,
    });
  }
  const apiFields = diff(api, next);
  if (apiFields.length === 0) return { api, isNewApi: false, apiFields, writesApi: false, notes };
  const changed = { ...next, revision: api.revision + 1, updatedAtMs: options.nowMs };
  return { api: changed, isNewApi: false, apiFields, writesApi: true, notes };
}

/** Notes values that an export masks and that are not stored here. Those under /source, from an import, don't matter. */
function noteMissing(notes: ImportNote[]): (path: string) => void {
  return (path) => {
    if (!path.startsWith('/source/')) notes.push(valueMissing(path.replace('/headers/', 'the header ')));
  };
}

function valueMissing(what: string): ImportNote {
  return {
    code: 'masked_value_missing',
    message: `The document masks the value of ${what}, and none is stored: set it on the API.`,
  };
}

/** The current values of headers that a document masks. */
function currentValues(
  masked: readonly string[],
  api: Api | null,
  notes: ImportNote[],
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of masked) {
    const value = api?.headers[name];
    if (value !== undefined) headers[name] = value;
    else notes.push(valueMissing(`the header ${name}`));
  }
  return headers;
}

function contentOfApi(api: Api): ApiContent {
  return {
    name: api.name,
    ...(api.description !== undefined && { description: api.description }),
    baseUrl: api.baseUrl,
    ...(api.serverTemplate !== undefined && { serverTemplate: api.serverTemplate }),
    ...(api.otherBaseUrls !== undefined && { otherBaseUrls: api.otherBaseUrls }),
    headers: api.headers,
    auth: api.auth,
  };
}

// Empty objects are not stored.
function ifAny<T extends object>(value: T | undefined): T | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

function keep<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript forgets the name of a computed key
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

function freeSlug(wanted: string, isTaken: (slug: string) => boolean): string {
  const slug = slugFrom(wanted);
  if (!isTaken(slug)) return slug;
  for (let n = 2; ; n++) {
    const numbered = `${slug.slice(0, 36)}-${n}`;
    if (!isTaken(numbered)) return numbered;
  }
}
