import type { Api } from '../../domain/api.ts';
import type { ApiDescription, DescribedOperation, ImportNote } from '../../domain/description.ts';
import { isIdentifyingHeader } from '../../domain/fields/header-names.ts';
import { heldParameters } from '../../domain/places/operator-places.ts';
import type { Parameter } from '../../domain/operation.ts';

/**
 * Removes inputs that no caller may set: places of the credential, of the API's headers and of fixed values, and headers
 * that identify the sender, unless the API allows them. A note on the operation says so.
 */
export function holdBack(operation: DescribedOperation, api: Api): DescribedOperation {
  if (!operation.content) return operation;
  const { content } = operation;
  const out = new Map(heldParameters(api, content.operation).map(({ parameter, why }) => [parameter, why]));
  // A value fixed by the document is no more the operator's choice than an argument is.
  for (const parameter of content.operation.parameters)
    if (isFixedByDocument(parameter, api)) out.set(parameter, notAllowed);
  if (out.size === 0) return operation;
  const parameters = content.operation.parameters.filter((parameter) => !out.has(parameter));
  const notes = [...out].map(([{ in: place, name, key = name }, why]): ImportNote => ({
    code: 'parameter_held_back',
    message: `The ${place} parameter "${key.slice(0, 100)}" is left out: it ${why}.`,
    at: operation.at,
  }));
  return {
    ...operation,
    content: { ...content, operation: { ...content.operation, parameters } },
    notes: [...operation.notes, ...notes],
  };
}

/** The description without headers that only an operator may set. */
export function withoutIdentifyingHeaders(description: ApiDescription, api: Api | null): ApiDescription {
  const names = Object.keys(description.headers).filter(
    (name) => isIdentifyingHeader(name) && !isAllowed(name, api) && api?.headers[name] === undefined,
  );
  if (names.length === 0) return description;
  return {
    ...description,
    headers: Object.fromEntries(
      Object.entries(description.headers).filter(([name]) => !names.includes(name)),
    ),
    notes: [
      ...description.notes,
      ...names.map((name) => ({
        code: 'header_held_back',
        message: `The header "${name.slice(0, 100)}" in the document is left out: it says who is sending the request, from where or with which method. Set it on the API if it should be sent.`,
      })),
    ],
  };
}

const notAllowed =
  'says who is sending the request, from where or with which method: allow it by name on the API (allowHeaders) if tools may set it';

function isFixedByDocument(
  { in: place, name, key = name, fixed, default: preset }: Parameter,
  api: Api,
): boolean {
  if (place !== 'header' || (fixed === undefined && preset === undefined)) return false;
  const byOperator = Object.keys(api.source?.rules?.fix ?? {}).some(
    (rule) => rule.toLowerCase() === key.toLowerCase(),
  );
  return !byOperator && isIdentifyingHeader(key) && !isAllowed(key, api);
}

function isAllowed(name: string, api: Api | null): boolean {
  return api?.allowHeaders?.some((allowed) => allowed.toLowerCase() === name.toLowerCase()) ?? false;
}
