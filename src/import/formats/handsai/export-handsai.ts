import type { Api } from '../../../domain/api.ts';
import type { JsonSchema } from '../../../domain/json-schema.ts';
import type { Parameter } from '../../../domain/operation.ts';
import { isObject } from '../../../lib/json/plain-object.ts';
import { isSecretName } from '../../../lib/secrets/mask-secrets.ts';
import type { ApisWithTools } from '../handrail/export-handrail.ts';

const masked = '<YOUR_API_KEY>';

/** HandsAI's format, for other HandsAI installations; secrets are masked, and what it cannot express is left out. */
export function exportHandsai(apis: ApisWithTools): unknown {
  return apis.map(({ api, tools }) => ({
    name: api.name,
    code: api.slug,
    baseUrl: api.baseUrl,
    ...handsaiAuth(api),
    customHeaders: Object.fromEntries(
      Object.entries(api.headers).map(([name, value]) => [name, isSecretName(name) ? masked : value]),
    ),
    tools: tools.map((tool) => ({
      name: tool.title ?? tool.name,
      code: tool.name,
      description: tool.description,
      endpointPath: tool.operation.path,
      httpMethod: tool.operation.method,
      ...(tool.operation.body?.shape === 'template' && { bodyPayloadTemplate: tool.operation.body.template }),
      enabled: tool.enabled,
      isExportable: true,
      parameters: tool.operation.parameters
        .filter((parameter) => !parameter.hidden && parameter.fixed === undefined)
        .map(handsaiParameter),
    })),
  }));
}

function handsaiAuth({ auth }: Api): object {
  switch (auth.kind) {
    case 'none':
      return { authenticationType: 'NONE' };
    case 'bearer':
    case 'oauth2':
      return {
        authenticationType: 'BEARER_TOKEN',
        apiKeyLocation: 'HEADER',
        apiKeyName: 'Authorization',
        apiKeyValue: masked,
      };
    case 'basic':
      return {
        authenticationType: 'BASIC_AUTH',
        apiKeyLocation: 'HEADER',
        apiKeyName: 'Authorization',
        apiKeyValue: masked,
      };
    case 'api-key':
      return {
        authenticationType: 'API_KEY',
        apiKeyLocation: { header: 'HEADER', query: 'QUERY_PARAMETER', body: 'IN_BODY', cookie: 'COOKIE' }[
          auth.in
        ],
        apiKeyName: auth.name,
        apiKeyValue: masked,
      };
    case 'login': {
      const bearer = auth.place.in === 'header' && auth.place.name.toLowerCase() === 'authorization';
      return {
        authenticationType: bearer ? 'BEARER_TOKEN' : 'API_KEY',
        apiKeyLocation: { header: 'HEADER', query: 'QUERY_PARAMETER', body: 'IN_BODY', cookie: 'COOKIE' }[
          auth.place.in
        ],
        apiKeyName: auth.place.name,
        isDynamicAuth: true,
        dynamicAuthUrl: auth.url,
        dynamicAuthMethod: auth.method,
        dynamicAuthPayloadType: auth.payloadIn === 'form' ? 'FORM_DATA' : 'JSON',
        dynamicAuthPayloadLocation:
          auth.payloadIn === 'query' ? 'QUERY_PARAMETERS' : auth.payloadIn === 'headers' ? 'HEADERS' : 'BODY',
        dynamicAuthPayload: JSON.stringify(
          Object.fromEntries(auth.payloadFields.map((field) => [field, masked])),
        ),
        dynamicAuthTokenExtractionPath: auth.tokenPath ?? '',
        dynamicAuthInvalidationKeywords: (auth.invalidationKeywords ?? []).join(','),
      };
    }
    default:
      return {
        authenticationType: 'API_KEY',
        apiKeyLocation: 'HEADER',
        apiKeyName: 'Authorization',
        apiKeyValue: masked,
      };
  }
}

function handsaiParameter(parameter: Parameter): object {
  return {
    name: parameter.in === 'path' ? (parameter.key ?? parameter.name) : parameter.name,
    type: handsaiType(parameter.schema),
    ...itemsOf(parameter.schema),
    description:
      parameter.description ??
      (typeof parameter.schema['description'] === 'string' ? parameter.schema['description'] : ''),
    required: parameter.required,
    defaultValue:
      parameter.default === undefined
        ? ''
        : typeof parameter.default === 'string'
          ? parameter.default
          : JSON.stringify(parameter.default),
  };
}

// HandsAI treats every array as one of text; only our own import reads `items`.
function itemsOf({ items, ...schema }: JsonSchema): object {
  const isPlain = isObject(items) && items['type'] === 'string' && Object.keys(items).length === 1;
  return handsaiType(schema) === 'ARRAY' && isObject(items) && !isPlain ? { items } : {};
}

function handsaiType({ type }: JsonSchema): string {
  const word: unknown = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  return (
    { number: 'NUMBER', integer: 'NUMBER', boolean: 'BOOLEAN', array: 'ARRAY', object: 'OBJECT' }[
      String(word)
    ] ?? 'STRING'
  );
}
