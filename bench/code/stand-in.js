import { createServer } from 'node:http';

/** The operations of a document: method, path, their example replies, and their parameters. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => /^(?:get|put|post|delete|patch)$/.test(method))
      .map(([method, operation]) => ({
        key: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) =>
          resolve(document, one),
        ),
        reply: replyOf(document, operation),
      })),
  );
}

/** A server that answers each operation of a document with its example, or with a value that matches its schema. */
export async function startStandIn(operations) {
  const known = operations.map(({ method, path, reply }) => ({ method, parts: path.split('/'), reply }));
  const asked = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://x');
    const parts = pathname.split('/').map(decodeURIComponent);
    const fits = ({ method, parts: own }) =>
      method === request.method &&
      own.length === parts.length &&
      own.every((part, n) => part === parts[n] || (part.startsWith('{') && parts[n] !== ''));
    // A literal path segment comes before a parameter.
    const [found] = known.filter(fits).sort((one, other) => places(one.parts) - places(other.parts));
    asked.push(`${request.method} ${found?.parts.join('/') ?? pathname}`);
    request.resume();
    response
      .writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(found === undefined ? { error: 'There is no such path.' } : found.reply));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** The requests since the last call, as operation keys. */
    takeAsked: () => asked.splice(0),
    stop: () => server.close(),
  };
}

const places = (parts) => parts.filter((part) => part.startsWith('{')).length;

function resolve(document, value) {
  if (typeof value?.$ref !== 'string') return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((at, step) => at?.[step], document);
}

function replyOf(document, { responses = {} }) {
  const ok = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const content = resolve(document, ok)?.content ?? {};
  const media = Object.entries(content).find(([type]) => type.includes('json'))?.[1];
  const given = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  return given ?? sampleOf(document, media?.schema, 0);
}

/** A value that matches a schema. */
function sampleOf(document, schema, depth) {
  const it = resolve(document, schema) ?? {};
  if (depth > 6) return null;
  if ('example' in it) return it.example;
  if (it.enum) return it.enum[0];
  const sub = it.allOf ?? it.oneOf ?? it.anyOf;
  if (sub) {
    const parts = (it.allOf ?? [sub[0]]).map((part) => sampleOf(document, part, depth + 1));
    return parts.every((part) => typeof part === 'object') ? Object.assign({}, ...parts) : parts[0];
  }
  if (it.properties)
    return Object.fromEntries(
      Object.entries(it.properties).map(([name, one]) => [name, sampleOf(document, one, depth + 1)]),
    );
  switch (it.type) {
    case 'array':
      return [sampleOf(document, it.items, depth + 1)];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return false;
    case 'object':
      return {};
    default:
      return 'text';
  }
}
