import type { Api, ApiContent, ParameterRules } from '../domain/api.ts';
import type { Operation, Parameter } from '../domain/operation.ts';
import type { Tool, ToolContent } from '../domain/tool.ts';
import { isSealedText, sealedPrefix } from '../domain/secret-fields.ts';
import { isSecretName } from '../lib/secrets/mask-secrets.ts';
import type { JsonValue } from '../domain/json-schema.ts';
import { type KeyRing, seal, unseal } from './seal.ts';

// Operators write secrets into headers of an API and into fixed parameters of tools too. Under a name that says so they are
// sealed wherever they are stored, like credentials, each bound to its row and place.

/** Does something with one value that may be a secret; the same when there is nothing to do. */
type EachValue = (value: JsonValue, name: string, place: string) => JsonValue;

/** Every value of a row that may be a secret, given to `each`. Returns the very same row when none changed. */
function mapApi(api: Api, each: EachValue): Api {
  const headers = mapTexts(api.headers, 'headers', each);
  const source = api.source && mapSource(api.source, each);
  return headers === api.headers && source === api.source
    ? api
    : { ...api, headers, ...(source && { source }) };
}

function mapSource(source: NonNullable<Api['source']>, each: EachValue): NonNullable<Api['source']> {
  const imported = source.imported && mapImported(source.imported, each);
  const rules = source.rules && mapRules(source.rules, each);
  if (imported === source.imported && rules === source.rules) return source;
  return { ...source, ...(imported && { imported }), ...(rules && { rules }) };
}

function mapImported(content: ApiContent, each: EachValue): ApiContent {
  const headers = mapTexts(content.headers, 'imported/headers', each);
  return headers === content.headers ? content : { ...content, headers };
}

function mapRules(rules: ParameterRules, each: EachValue): ParameterRules {
  const fix = rules.fix && mapTexts(rules.fix, 'fix', each);
  return fix === rules.fix ? rules : { ...rules, ...(fix && { fix }) };
}

function mapTexts(
  values: Readonly<Record<string, string>>,
  place: string,
  each: EachValue,
): Readonly<Record<string, string>> {
  let changed: Record<string, string> | null = null;
  for (const [name, value] of Object.entries(values)) {
    const mapped = each(value, name, `${place}/${name}`);
    if (mapped !== value && typeof mapped === 'string') (changed ??= { ...values })[name] = mapped;
  }
  return changed ?? values;
}

function mapTool(tool: Tool, each: EachValue): Tool {
  const operation = mapOperation(tool.operation, 'operation', each);
  const { imported, pending } = tool.source ?? {};
  const nextImported = imported && mapContent(imported, 'imported', each);
  const nextPending = pending && mapContent(pending, 'pending', each);
  if (operation === tool.operation && nextImported === imported && nextPending === pending) return tool;
  return {
    ...tool,
    operation,
    ...(tool.source && {
      source: {
        ...tool.source,
        ...(nextImported && { imported: nextImported }),
        ...(nextPending && { pending: nextPending }),
      },
    }),
  };
}

function mapContent(content: ToolContent, place: string, each: EachValue): ToolContent {
  const operation = mapOperation(content.operation, place, each);
  return operation === content.operation ? content : { ...content, operation };
}

function mapOperation(operation: Operation, place: string, each: EachValue): Operation {
  let parameters: Parameter[] | null = null;
  operation.parameters.forEach((parameter, i) => {
    if (parameter.fixed === undefined) return;
    const name = parameter.key ?? parameter.name;
    const fixed = each(parameter.fixed, name, `${place}/${parameter.in}/${parameter.name}`);
    if (fixed !== parameter.fixed) (parameters ??= [...operation.parameters])[i] = { ...parameter, fixed };
  });
  return parameters === null ? operation : { ...operation, parameters };
}

/** Seals and opens the secrets within rows of the registry. */
export interface SealedFields {
  sealApi(api: Api): Api;
  sealTool(tool: Tool): Tool;
  /** What cannot be opened stays sealed: it is neither lost nor sent. */
  openApi(api: Api): Api;
  openTool(tool: Tool): Tool;
}

/** A header is stored within bounds; what would exceed them sealed is no secret that a server takes. */
const longestText = 47_000;

/** Makes them for the keys at hand. */
export function createSealedFields(ring: KeyRing): SealedFields {
  const rowOf = (id: string, place: string) => ({ id: `${id} ${place}`, apiId: '', origins: [] });

  const sealing =
    (id: string): EachValue =>
    (value, name, place) => {
      if (isSealedText(value) || isNothing(value) || !isSecretName(name)) return value;
      const text = JSON.stringify(value);
      if (text.length > longestText) return value;
      return `${sealedPrefix}${seal(ring, rowOf(id, place), { value: text })}`;
    };

  const opening =
    (id: string): EachValue =>
    (value, _name, place) => {
      if (!isSealedText(value)) return value;
      try {
        const { value: text } = unseal(ring, rowOf(id, place), value.slice(sealedPrefix.length));
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- authenticated: only `sealing` can have written it
        return JSON.parse(text ?? 'null') as JsonValue;
      } catch {
        return value;
      }
    };

  return {
    sealApi: (api) => mapApi(api, sealing(api.id)),
    sealTool: (tool) => mapTool(tool, sealing(tool.id)),
    openApi: (api) => mapApi(api, opening(api.id)),
    openTool: (tool) => mapTool(tool, opening(tool.id)),
  };
}

function isNothing(value: JsonValue): boolean {
  return value === null || value === '';
}

/** How many secrets a row holds: open, or sealed. As stored, all ought to be sealed; in memory, all that can be opened are open. */
export interface HeldSecrets {
  readonly plain: number;
  readonly sealed: number;
}

/** The secrets of an API. */
export function secretsInApi(api: Api): HeldSecrets {
  return counted((each) => void mapApi(api, each));
}

/** The secrets of a tool. */
export function secretsInTool(tool: Tool): HeldSecrets {
  return counted((each) => void mapTool(tool, each));
}

function counted(visit: (each: EachValue) => void): HeldSecrets {
  const found = { plain: 0, sealed: 0 };
  visit((value, name) => {
    if (isSealedText(value)) found.sealed++;
    else if (isSecretName(name) && !isNothing(value)) found.plain++;
    return value;
  });
  return found;
}
