import type { Operation, Parameter } from '../../../domain/operation.ts';
import {
  arrayOr,
  isObject,
  objectOr,
  textOr,
  type PlainObject,
  wordOf,
} from '../../../lib/json/plain-object.ts';
import { ParameterNames } from '../../../openapi/names.ts';
import type { ObservedBody } from '../observed/observed-request.ts';
import { plainValue } from './postman-url.ts';

/** Reads the body of a Postman request in any of its modes. */
export function readBody(
  given: unknown,
  headers: readonly (readonly [string, string])[],
  fill: (text: string) => string,
): { body?: ObservedBody } {
  const body = objectOr(given);
  if (body['disabled'] === true) return {};
  const declared = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const fields = (list: unknown) =>
    arrayOr(list)
      .filter(
        (entry): entry is PlainObject =>
          isObject(entry) && typeof entry['key'] === 'string' && entry['key'] !== '',
      )
      .map((entry) => ({
        name: String(entry['key']),
        value: plainValue(fill(wordOf(entry['value'] ?? ''))),
        ...(entry['type'] === 'file' && { file: true }),
        ...(textOr(entry['contentType']) && { contentType: textOr(entry['contentType'])! }),
      }));
  switch (body['mode']) {
    case 'raw': {
      const text = fill(textOr(body['raw']) ?? '');
      const language = textOr(objectOr(objectOr(body['options'])['raw'])['language']);
      const guessed =
        language === 'json' || (!language && /^\s*[[{]/.test(text))
          ? 'application/json'
          : language === 'xml'
            ? 'application/xml'
            : language === 'html'
              ? 'text/html'
              : language === 'javascript'
                ? 'application/javascript'
                : 'text/plain';
      return text.trim() === ''
        ? {}
        : {
            body: {
              mediaType: declared ?? guessed,
              text: guessed === 'application/json' ? withoutComments(text) : text,
            },
          };
    }
    case 'urlencoded':
      if (typeof body['urlencoded'] === 'string')
        return { body: { mediaType: 'application/x-www-form-urlencoded', text: fill(body['urlencoded']) } };
      return { body: { mediaType: 'application/x-www-form-urlencoded', fields: fields(body['urlencoded']) } };
    case 'formdata':
      return { body: { mediaType: 'multipart/form-data', fields: fields(body['formdata']) } };
    case 'file':
      return { body: { mediaType: declared ?? 'application/octet-stream', fromFile: true } };
    case 'graphql': {
      const graphql = objectOr(body['graphql']);
      const written = graphql['variables'];
      const variables = isObject(written) ? written : parseJson(fill(textOr(written) ?? '{}'));
      const operationName = textOr(graphql['operationName']);
      const query = textOr(graphql['query']) ?? '';
      return {
        body: {
          mediaType: 'application/json',
          text: JSON.stringify({
            query,
            variables: variables ?? {},
            ...(operationName && { operationName }),
          }),
        },
      };
    }
    default:
      return {};
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Postman allows comments in JSON; whole-line comments are common.
function withoutComments(text: string): string {
  return parseJson(text) === undefined ? text.replace(/^[ \t]*\/\/.*$/gm, '') : text;
}

const variable = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** Converts JSON with bare variables (`{"id": {{id}}}`), which is not valid JSON, to a body template. */
export function withTemplate(operation: Operation, body: unknown, fill: (text: string) => string): Operation {
  const raw = fill(textOr(objectOr(body)['raw']) ?? '');
  const variables = [...new Set([...raw.matchAll(variable)].map((match) => match[1]!))];
  if (variables.length === 0 || objectOr(body)['mode'] !== 'raw' || objectOr(body)['disabled'] === true)
    return operation;
  const others = operation.parameters.filter((parameter) => parameter.in !== 'body');
  const names = new ParameterNames();
  for (const parameter of others) names.claim(parameter.name, parameter.in);
  // `{{$guid}}` and other names that clients don't accept, or that are taken, are renamed.
  const named = new Map(variables.map((name) => [name, names.claim(name, 'body')]));
  const mediaType = operation.body?.mediaType ?? 'application/json';
  const inputs: Parameter[] = [...named.values()].map((name) => ({
    name,
    in: 'body',
    schema: {},
    required: true,
  }));
  return {
    ...operation,
    parameters: [...others, ...inputs],
    body: {
      mediaType: mediaType === 'text/plain' ? 'application/json' : mediaType,
      shape: 'template',
      template: raw.replace(variable, (_whole, name: string) => `{{${named.get(name)!}}}`),
    },
  };
}
