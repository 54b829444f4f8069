import type { Api, ApiContent, ParameterRules } from '../domain/api.ts';
import type { Operation, Parameter } from '../domain/operation.ts';
import { isPacked } from '../domain/stored/packed-tool.ts';
import type { Tool, ToolContent } from '../domain/tool.ts';
import { isSealedText, sealedPrefix } from '../domain/secret-fields.ts';
import { isSecretName } from '../lib/secrets/mask-secrets.ts';
import type { JsonValue } from '../domain/json-schema.ts';
import { type KeyRing, seal, unseal } from './seal.ts';

// Operators also put secrets into headers of APIs and into fixed parameters of tools. If the name suggests a secret, the
// value is sealed wherever it is stored, like a credential, bound to its row and place.

/** Maps one value that may be a secret; returns the same value if there is nothing to do. */
type MapValue = (value: JsonValue, name: string, place: string) => JsonValue;

/** Applies `each` to every value of a row that may be a secret. Returns the same object if none changed. */
function mapApi(api: Api, each: MapValue): Api {
  const headers = mapTexts(api.headers, 'headers', each);
  const source = api.source && mapSource(api.source, each);
  return headers === api.headers && source === api.source
    ? api
    : { ...api, headers, ...(source && { source }) };
}

function mapSource(source: NonNullable<Api['source']>, each: MapValue): NonNullable<Api['source']> {
  const imported = source.imported && mapImported(source.imported, each);
  const rules = source.rules && mapRules(source.rules, each);
  if (imported === source.imported && rules === source.rules) return source;
  return { ...source, ...(imported && { imported }), ...(rules && { rules }) };
}

function mapImported(content: ApiContent, each: MapValue): ApiContent {
  const headers = mapTexts(content.headers, 'imported/headers', each);
  return headers === content.headers ? content : { ...content, headers };
}

function mapRules(rules: ParameterRules, each: MapValue): ParameterRules {
  const fix = rules.fix && mapTexts(rules.fix, 'fix', each);
  return fix === rules.fix ? rules : { ...rules, ...(fix && { fix }) };
}

function mapTexts(
  values: Readonly<Record<string, string>>,
  place: string,
  each: MapValue,
): Readonly<Record<string, string>> {
  let changed: Record<string, string> | null = null;
  for (const [name, value] of Object.entries(values)) {
    const mapped = each(value, name, `${place}/${name}`);
    if (mapped !== value && typeof mapped === 'string') (changed ??= { ...values })[name] = mapped;
  }
  return changed ?? values;
}

function mapTool(tool: Tool, each: MapValue): Tool {
  const own = isPacked(tool) ? undefined : tool.operation;
  const operation = own && mapOperation(own, 'operation', each);
  const { imported, pending } = tool.source ?? {};
  const nextImported = imported && mapContent(imported, 'imported', each);
  const nextPending = pending && mapContent(pending, 'pending', each);
  if (operation === own && nextImported === imported && nextPending === pending) return tool;
  return {
    ...tool,
    ...(operation && { operation }),
    ...(tool.source && {
      source: {
        ...tool.source,
        ...(nextImported && { imported: nextImported }),
        ...(nextPending && { pending: nextPending }),
      },
    }),
  };
}

function mapContent(content: ToolContent, place: string, each: MapValue): ToolContent {
  const operation = mapOperation(content.operation, place, each);
  return operation === content.operation ? content : { ...content, operation };
}

function mapOperation(operation: Operation, place: string, each: MapValue): Operation {
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
  /** A value that cannot be opened stays sealed: it is neither lost nor sent. */
  openApi(api: Api): Api;
  openTool(tool: Tool): Tool;
}

/** Headers have a size limit. A value that would exceed it when sealed is too long to be a secret that a server accepts. */
const maxTextLength = 47_000;

export function createSealedFields(ring: KeyRing): SealedFields {
  const rowOf = (id: string, place: string) => ({ id: `${id} ${place}`, apiId: '', origins: [] });

  const sealing =
    (id: string): MapValue =>
    (value, name, place) => {
      if (isSealedText(value) || isNothing(value) || !isSecretName(name)) return value;
      const text = JSON.stringify(value);
      if (text.length > maxTextLength) return value;
      return `${sealedPrefix}${seal(ring, rowOf(id, place), { value: text })}`;
    };

  const opening =
    (id: string): MapValue =>
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

/** How many secrets a row has, plain and sealed. In the store all should be sealed; in memory all that can be opened are plain. */
export interface SecretCounts {
  readonly plain: number;
  readonly sealed: number;
}

export function secretsInApi(api: Api): SecretCounts {
  return counted((each) => void mapApi(api, each));
}

export function secretsInTool(tool: Tool): SecretCounts {
  return counted((each) => void mapTool(tool, each));
}

function counted(visit: (each: MapValue) => void): SecretCounts {
  const found = { plain: 0, sealed: 0 };
  visit((value, name) => {
    if (isSealedText(value)) found.sealed++;
    else if (isSecretName(name) && !isNothing(value)) found.plain++;
    return value;
  });
  return found;
}
