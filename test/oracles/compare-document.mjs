// Compares documents in a process of its own, which its parent can end: one of the libraries never returns on some
// operations. Reads the names of documents, one a line; prints one line of JSON for each comparison, and one when it is
// through with a document.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import oasToHar from '@readme/oas-to-har';
import { buildRequest } from 'swagger-client/es/execute/index.js';
import qs from 'qs';
import { parseTemplate } from 'url-template';
import Oas from 'oas';
import { parseImport } from '../../dist/import/reading/parse-import.js';
import { decodeText, parseText } from '../../dist/import/reading/read-text.js';
import { compile } from '../../dist/pipeline/compile.js';
import { resolve } from '../../dist/pipeline/request/resolve.js';
import { sample } from './sample.mjs';
import { slimDocument } from './slim.mjs';

const [folder] = process.argv.slice(2);
let name;
const api = {
  id: 'a',
  slug: 'a',
  name: 'a',
  baseUrl: 'https://api.example.com',
  headers: {},
  auth: { kind: 'none' },
  limits: {},
  enabled: true,
};
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

for await (name of createInterface({ input: process.stdin })) {
  compareDocument(readFileSync(join(folder, name)));
  print({ kind: 'through', document: name });
}

function compareDocument(bytes) {
  const document = parseText(decodeText(bytes)).value;
  const { operations } = parseImport({ files: [{ name: 'd', content: bytes }] }).apis[0];
  for (const { key, content } of operations) {
    if (!content) continue;
    const [method, ...rest] = key.split(' ');
    const path = rest.join(' ').replace(/ \(\d+\)$/, '');
    const { baseUrl: _own, ...operation } = content.operation;
    const tool = compile(api, {
      ...content,
      operation,
      id: 't',
      apiId: 'a',
      reply: {},
      limits: {},
      enabled: true,
    });
    const slim = slimDocument(document, method.toLowerCase(), path);
    if (!slim) continue;
    const defs = operation.defs ?? {};
    const pathArguments = {};
    for (const parameter of operation.parameters)
      if (parameter.in === 'path') pathArguments[parameter.name] = sample(parameter.schema, defs);
    if (Object.values(pathArguments).includes(undefined)) {
      print({ kind: 'unsampled', operation: key, document: name });
      continue;
    }
    for (const parameter of operation.parameters) {
      if (parameter.in === 'body') continue;
      const value = pathArguments[parameter.name] ?? sample(parameter.schema, defs);
      if (value === undefined) {
        print({ kind: 'unsampled', operation: key, document: name });
        continue;
      }
      compareParameter({
        key,
        method,
        path,
        operation,
        tool,
        slim,
        parameter,
        value,
        args: { ...pathArguments, [parameter.name]: value },
      });
    }
    compareForm({ key, method, path, operation, tool, slim, defs, pathArguments });
  }
}

function ours(tool, args) {
  // Only the named arguments count here: what else the operation requires is another comparison's.
  return resolve(tool, args);
}

function byWire(operation, args) {
  const values = { path: {}, query: {}, header: {}, cookie: {} };
  for (const parameter of operation.parameters)
    if (args[parameter.name] !== undefined && values[parameter.in])
      values[parameter.in][parameter.key ?? parameter.name] = args[parameter.name];
  return values;
}

function compareParameter({ key, method, path, operation, tool, slim, parameter, value, args }) {
  const wire = parameter.key ?? parameter.name;
  const style = parameter.contentType
    ? 'content'
    : (parameter.style ?? (parameter.in === 'query' || parameter.in === 'cookie' ? 'form' : 'simple'));
  const explode = parameter.explode ?? (style === 'form' || style === 'cookie' || style === 'deepObject');
  const shape = shapeOf(value);
  const values = byWire(operation, args);
  const mine = attempt(() => part(parameter.in, fromPlan(ours(tool, args)), wire));
  const swagger = attempt(() => part(parameter.in, fromSwagger(slim, method, path, values), wire));
  const har = slim.swagger
    ? null
    : attempt(() => part(parameter.in, fromHar(slim, method, path, values), wire));
  const rfc = attempt(() => fromTemplate(parameter.in, style, explode, wire, value, path, values));
  print({
    kind: 'parameter',
    document: name,
    operation: key,
    parameter: wire,
    in: parameter.in,
    style,
    explode,
    shape,
    mine,
    swagger,
    har,
    rfc,
  });
}

function attempt(make) {
  try {
    return make() ?? null;
  } catch (error) {
    return `! ${String(error?.message ?? error).slice(0, 120)}`;
  }
}

function fromPlan({ target, headers }) {
  const at = target.indexOf('?');
  return { path: at < 0 ? target : target.slice(0, at), query: at < 0 ? '' : target.slice(at + 1), headers };
}

function fromUrl(url, headers) {
  const text = url.replace('https://api.example.com', '').replace(/#.*$/, '');
  const at = text.indexOf('?');
  return {
    path: at < 0 ? text : text.slice(0, at),
    query: at < 0 ? '' : text.slice(at + 1),
    headers: Object.fromEntries(
      Object.entries(headers).map(([header, content]) => [header.toLowerCase(), content]),
    ),
  };
}

function fromSwagger(spec, method, path, values, requestBody) {
  const parameters = {};
  for (const [place, entries] of Object.entries(values))
    for (const [wire, value] of Object.entries(entries))
      parameters[spec.swagger ? wire : `${place}.${wire}`] = value;
  const request = buildRequest({
    spec,
    pathName: path,
    method,
    operationId: 'op',
    parameters,
    ...(requestBody && { requestBody }),
    contextUrl: 'https://api.example.com/',
  });
  return { ...fromUrl(request.url, request.headers ?? {}), body: request.body };
}

function fromHar(spec, method, path, values) {
  const oas = new Oas(spec);
  const har = oasToHar.default
    ? oasToHar.default(oas, oas.operation(path, method.toLowerCase()), values)
    : oasToHar(oas, oas.operation(path, method.toLowerCase()), values);
  const { request } = har.log.entries[0];
  const query = request.queryString.map(({ name: key, value }) => `${key}=${value}`).join('&');
  const headers = Object.fromEntries(request.headers.map(({ name: key, value }) => [key, value]));
  if (request.cookies.length > 0)
    headers.cookie = request.cookies.map(({ name: key, value }) => `${key}=${value}`).join('; ');
  const built = fromUrl(request.url, headers);
  return { ...built, query: [built.query, query].filter(Boolean).join('&'), postData: request.postData };
}

// The specification defines deepObject for one level and leaves the rest open; servers that read it do as `qs` does.
function fromTemplate(place, style, explode, wire, value, path, values) {
  if (style === 'deepObject') return formPairs(qs.stringify({ [wire]: value }));
  if (style === 'content' || !['simple', 'form', 'label', 'matrix'].includes(style)) return null;
  const operator = { path: { simple: '', label: '.', matrix: ';' }[style], query: '?' }[place];
  if (operator === undefined || (JSON.stringify(value).includes('{"') && shapeIsNested(value))) return null;
  if (place === 'query')
    return part(
      'query',
      {
        query: parseTemplate(`{?v${explode ? '*' : ''}}`)
          .expand({ v: value })
          .slice(1)
          .replace(/(^|&)v=/g, `$1${encodeURIComponent(wire)}=`),
      },
      wire,
    );
  if (Object.keys(values.path).length > 1) return null;
  const clean = path.replace(/#.*$/, '').split('?')[0];
  return part(
    'path',
    {
      path: clean.replace(
        `{${wire}}`,
        parseTemplate(`{${operator}v${explode ? '*' : ''}}`)
          .expand({ v: value })
          .replace(/^;v/, `;${wire}`),
      ),
    },
    wire,
  );
}

function shapeIsNested(value) {
  return Object.values(value).some((inner) => typeof inner === 'object');
}

// What is compared: decoded, because servers decode; a path keeps its segments apart.
function part(place, request, wire) {
  const decode = (text) => (text.split('%').length === 1 ? text : decodeURIComponent(text));
  switch (place) {
    case 'path':
      return request.path.split('/').map(decode).join(' / ');
    case 'query':
      return request.query
        .split('&')
        .filter(Boolean)
        .map((pair) => decode(pair.replaceAll('+', '%20')))
        .toSorted()
        .join(' & ');
    case 'header':
      // A header is text on the wire, whatever a library keeps it as.
      return request.headers[wire.toLowerCase()]?.toString();
    default:
      return decode(request.headers.cookie ?? '');
  }
}

function compareForm({ key, method, path, operation, tool, slim, defs, pathArguments }) {
  if (operation.body?.shape !== 'fields') return;
  const body = {};
  const args = { ...pathArguments };
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'body') continue;
    const value = sample(parameter.schema, defs);
    if (value === undefined) continue;
    args[parameter.name] = value;
    body[parameter.key ?? parameter.name] = value;
  }
  if (Object.keys(body).length === 0) return;
  const type = operation.body.mediaType;
  if (type.includes('json')) {
    const sent = resolve(tool, args).body;
    print({
      kind: 'json',
      document: name,
      operation: key,
      equal: JSON.stringify(JSON.parse(sent.content)) === JSON.stringify(body),
    });
  } else if (type === 'application/x-www-form-urlencoded') {
    for (const parameter of operation.parameters)
      if (parameter.in === 'body' && args[parameter.name] !== undefined)
        compareFormField({ key, method, path, operation, tool, slim, pathArguments, parameter });
  }
}

function compareFormField({ key, method, path, operation, tool, slim, pathArguments, parameter }) {
  const wire = parameter.key ?? parameter.name;
  const value = sample(parameter.schema, operation.defs ?? {});
  const { style, explode } = operation.body.encoding?.[wire] ?? {};
  const values = byWire(operation, pathArguments);
  const type = operation.body.mediaType;
  const mine = attempt(() =>
    formPairs(resolve(tool, { ...pathArguments, [parameter.name]: value }).body.content),
  );
  const swagger = attempt(() => {
    if (slim.swagger)
      return formPairs(
        fromSwagger(slim, method, path, { ...values, query: { [wire]: value } }).body.toString(),
      );
    const request = buildRequest({
      spec: slim,
      pathName: path,
      method,
      operationId: 'op',
      parameters: Object.fromEntries(
        Object.entries(values.path).map(([place, inPath]) => [`path.${place}`, inPath]),
      ),
      requestBody: { [wire]: value },
      requestContentType: type,
      contextUrl: 'https://api.example.com/',
    });
    return formPairs(
      typeof request.body === 'string' ? request.body : new URLSearchParams(request.body).toString(),
    );
  });
  const har = slim.swagger
    ? null
    : attempt(() => {
        const { postData } = fromHar(slim, method, path, { ...values, formData: { [wire]: value } });
        if (!postData?.params) throw new Error('no form was written');
        // Its parameters are decoded; what is written as JSON or joined by commas stays as it is.
        return postData.params
          .map(({ name: field, value: text }) => `${field}=${text}`)
          .toSorted()
          .join(' & ');
      });
  const shape = shapeOf(value);
  print({
    kind: 'parameter',
    document: name,
    operation: key,
    parameter: wire,
    in: 'form body',
    style: style ?? 'form',
    explode: explode ?? true,
    shape,
    mine,
    swagger,
    har,
    rfc: style === 'deepObject' ? formPairs(qs.stringify({ [wire]: value })) : null,
  });
}

function shapeOf(value) {
  if (Array.isArray(value))
    return value.some((item) => typeof item === 'object') ? 'array of objects' : 'array';
  if (typeof value !== 'object') return 'scalar';
  const inner = JSON.stringify(value);
  return inner.includes('[') ? 'object with arrays' : 'object';
}

function formPairs(text) {
  return text
    .split('&')
    .map((pair) => decodeURIComponent(pair.replaceAll('+', '%20')))
    .toSorted()
    .join(' & ');
}
