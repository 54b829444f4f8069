import type { DescribedOperation, SharedInput } from '../domain/description.ts';
import { arrayOr, isObject, objectOr, textOr, type PlainObject } from '../lib/json/plain-object.ts';
import { wordsOf } from './security/credential-names.ts';
import { type Input, inputsOf } from './security/operation-inputs.ts';

// These vary per call, however many operations have them.
const perCall = new Set([
  'after',
  'before',
  'correlation',
  'count',
  'cursor',
  'dry',
  'etag',
  'expand',
  'filter',
  'filters',
  'from',
  'id',
  'idempotency',
  'if',
  'include',
  'limit',
  'match',
  'max',
  'modified',
  'next',
  'nonce',
  'offset',
  'order',
  'page',
  'per',
  'q',
  'query',
  'range',
  'request',
  'search',
  'select',
  'since',
  'size',
  'skip',
  'sort',
  'sorting',
  'start',
  'top',
  'trace',
  'traceparent',
  'tracestate',
  'until',
]);
// An id of one of these says on whose behalf the API is used, not what a call is about.
const owners = new Set([
  'account',
  'app',
  'application',
  'company',
  'organization',
  'organization',
  'project',
  'realm',
  'site',
  'space',
  'store',
  'tenant',
  'workspace',
]);

interface Group {
  readonly input: Input;
  readonly methods: Set<string>;
  operations: number;
  required: number;
}

/** Inputs that are the same for a whole API, detected by how many operations have them, or declared by the document. */
export function findConstants(
  described: readonly DescribedOperation[],
  document: PlainObject,
): SharedInput[] {
  const named = globalNames(document);
  const groups = new Map<string, Group>();
  let total = 0;
  for (const { content } of described) {
    if (!content) continue;
    total++;
    for (const input of inputsOf(content.operation)) {
      if (input.in === 'body') continue;
      const key = `${input.in} ${input.in === 'header' ? input.key.toLowerCase() : input.key}`;
      const group = groups.get(key) ?? { input, methods: new Set<string>(), operations: 0, required: 0 };
      groups.set(key, group);
      group.operations++;
      group.methods.add(content.operation.method);
      if (input.required) group.required++;
    }
  }
  return [...groups.values()]
    .filter((group) => named.has(group.input.key) || isConstant(group, total))
    .map((group) => ({
      name: group.input.key,
      in: group.input.in,
      operations: group.operations,
      of: total,
      required: group.required * 2 > group.operations,
      ...valuesOf(group.input),
    }));
}

function isConstant({ input, operations, methods, required }: Group, total: number): boolean {
  const words = wordsOf(input.key);
  const share = operations / total;
  if (operations < 3) return false;
  if (words.includes('version') || input.key.toLowerCase() === 'v') return share >= 0.3;
  // A path argument names what the call is about, unless it says on whose behalf it is made.
  if (input.in === 'path') return share >= 0.9 && total >= 5 && isOwner(words);
  if (words.some((word) => perCall.has(word)) && !isOwner(words)) return false;
  if (input.in === 'header' || input.in === 'cookie') return share >= 0.5;
  // An input of only lists or only searches does not concern the whole API.
  return share >= 0.8 && (methods.size > 1 || (share === 1 && required === operations && isOwner(words)));
}

function isOwner(words: readonly string[]): boolean {
  return words.some((word, i) => owners.has(word) && (i === words.length - 1 || words[i + 1] === 'id'));
}

// https://www.speakeasy.com/docs/customize/globals: parameters that a document itself declares for the whole API.
function globalNames(document: PlainObject): Set<string> {
  const parameters = arrayOr(objectOr(document['x-speakeasy-globals'])['parameters']);
  return new Set(
    parameters.map((parameter) => textOr(objectOr(parameter)['name'])).filter((name) => name !== undefined),
  );
}

function valuesOf({ schema, description }: Input): Partial<SharedInput> {
  const { default: standard, enum: values, examples } = schema;
  const texts = arrayOr(values)
    .filter((value) => !isObject(value) && value !== null)
    .map(String);
  const [example] = arrayOr(examples);
  const suggestion = [standard, texts.length === 1 ? texts[0] : undefined, example].find(
    (value) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
  );
  return {
    ...(suggestion !== undefined && { suggestion: String(suggestion) }),
    ...(texts.length > 0 && texts.length <= 50 && { values: texts }),
    ...(description !== undefined && { description: description.slice(0, 300) }),
  };
}
