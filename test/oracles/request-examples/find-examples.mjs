// Finds the request examples of a document with nothing but the document itself: none of Handrail's readers takes part.

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query'];
const deepest = 8;

/** A document whose references are followed by JSON Pointers alone. */
export function openDocument(document) {
  const at = (pointer) => {
    let value = document;
    for (const token of pointer.replace(/^#\/?/, '').split('/').filter(Boolean))
      value = value?.[decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')];
    return value;
  };
  const follow = (value) => {
    for (let step = 0; step < 20 && typeof value?.$ref === 'string'; step++)
      value = value.$ref.startsWith('#') ? at(value.$ref) : undefined;
    return value;
  };
  return { document, follow };
}

/**
 * Every request example of an OpenAPI or Swagger document, by operation. `whole` is a value somebody wrote for a
 * parameter or a body; `assembled` is put together from the examples of a body's properties.
 */
export function findExamples(opened) {
  const { document, follow } = opened;
  const found = [];
  for (const [path, given] of Object.entries(document.paths ?? {})) {
    const item = follow(given);
    if (path.startsWith('x-') || typeof item !== 'object' || item === null) continue;
    for (const method of methods) {
      const operation = follow(item[method]);
      if (typeof operation !== 'object' || operation === null) continue;
      const key = `${method.toUpperCase()} ${path}`;
      const add = (example) => found.push({ operation: key, ...example });
      const parameters = new Map();
      for (const each of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
        const parameter = follow(each);
        if (parameter) parameters.set(`${parameter.in} ${parameter.name}`, parameter);
      }
      const form = [...parameters.values()].filter((parameter) => parameter.in === 'formData');
      for (const parameter of parameters.values()) {
        if (parameter.in === 'body') ofMedia(opened, parameter, bodyTypeOf(document, operation), add);
        else if (parameter.in !== 'formData') ofParameter(opened, parameter, add);
      }
      if (form.length > 0) ofForm(form, add);
      const body = follow(operation.requestBody);
      for (const [type, media] of Object.entries(body?.content ?? {}))
        ofMedia(opened, follow(media) ?? {}, type, add);
    }
  }
  return found;
}

function bodyTypeOf(document, operation) {
  return (operation.consumes ?? document.consumes ?? ['application/json'])[0] ?? 'application/json';
}

function ofParameter(opened, parameter, add) {
  const [type, media] = Object.entries(parameter.content ?? {})[0] ?? [];
  const schema = media?.schema ?? parameter.schema ?? parameter;
  for (const value of valuesOf(opened, [parameter, media ?? {}, opened.follow(schema) ?? {}]))
    add({
      kind: 'parameter',
      in: parameter.in,
      name: parameter.name,
      value,
      schema,
      how: {
        style: parameter.style,
        explode: parameter.explode,
        collectionFormat: parameter.collectionFormat,
        ...(type !== undefined && { contentType: type }),
      },
    });
}

function ofMedia(opened, media, mediaType, add) {
  const schema = media.schema ?? {};
  const target = opened.follow(schema) ?? {};
  for (const value of valuesOf(opened, [media, target])) add({ kind: 'whole', mediaType, value, schema });
  const value = assemble(opened, withoutOwn(target), 0);
  if (value !== undefined) add({ kind: 'assembled', mediaType, value, schema });
}

function ofForm(form, add) {
  const value = {};
  const schema = { type: 'object', properties: {}, required: [] };
  for (const parameter of form) {
    const { name, in: _in, required, ...rest } = parameter;
    schema.properties[name] = rest;
    if (required) schema.required.push(name);
    const example = parameter['x-example'] ?? parameter.example;
    if (example !== undefined) value[name] = example;
  }
  if (Object.keys(value).length > 0)
    add({ kind: 'assembled', mediaType: 'application/x-www-form-urlencoded', value, schema });
}

function withoutOwn(schema) {
  const { example: _example, examples: _examples, ...rest } = schema;
  return rest;
}

// `example`, Swagger 2's `x-example`, a schema's list of `examples`, or a map of them as media types have it.
function valuesOf(opened, places) {
  const values = [];
  for (const place of places) {
    for (const key of ['example', 'x-example']) if (place[key] !== undefined) values.push(place[key]);
    if (Array.isArray(place.examples)) values.push(...place.examples);
    else if (typeof place.examples === 'object' && place.examples !== null)
      for (const given of Object.values(place.examples)) {
        const example = opened.follow(given);
        const value = example?.dataValue ?? example?.value;
        if (value !== undefined) values.push(value);
      }
  }
  const seen = new Set();
  return values.filter((value) => {
    const text = JSON.stringify(value);
    if (text === undefined || seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

// A value made of the examples below a schema, and of nothing else; undefined where there is none.
function assemble(opened, given, depth) {
  const schema = opened.follow(given);
  if (typeof schema !== 'object' || schema === null || depth > deepest) return undefined;
  if (schema.example !== undefined) return schema.example;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (Array.isArray(schema.allOf)) {
    const parts = [...schema.allOf, { properties: schema.properties }].map((part) =>
      assemble(opened, part, depth + 1),
    );
    const objects = parts.filter((part) => typeof part === 'object' && part !== null && !Array.isArray(part));
    return objects.length > 0 ? Object.assign({}, ...objects) : parts.find((part) => part !== undefined);
  }
  if (typeof schema.properties === 'object' && schema.properties !== null) {
    const value = {};
    for (const [name, property] of Object.entries(schema.properties)) {
      if (opened.follow(property)?.readOnly === true) continue;
      const inner = assemble(opened, property, depth + 1);
      if (inner !== undefined) value[name] = inner;
    }
    return Object.keys(value).length > 0 ? value : undefined;
  }
  if (schema.type === 'array' && schema.items !== undefined) {
    const item = assemble(opened, schema.items, depth + 1);
    return item === undefined ? undefined : [item];
  }
  return undefined;
}

/** The bodies of a Postman collection's requests, whose variables are left as they stand, with their place in it. */
export function findPostmanBodies(collection) {
  const found = [];
  const walk = (items, place) => {
    for (const [i, item] of (items ?? []).entries()) {
      const at = `${place}/${i}`;
      if (item.item) walk(item.item, `${at}/item`);
      const body = item.request?.body;
      if (!body || body.disabled) continue;
      const add = (value) => found.push({ kind: 'postman', at, mode: body.mode, value });
      if (body.mode === 'raw' && typeof body.raw === 'string' && body.raw.trim() !== '') add(body.raw);
      const fields = (Array.isArray(body[body.mode]) ? body[body.mode] : []).filter(
        (field) => field.key !== undefined && field.key !== '' && field.disabled !== true,
      );
      if (fields.length > 0)
        add(fields.map(({ key, value, src }) => [String(key), String(value ?? src ?? '')]));
    }
  };
  walk(collection.item, '#/item');
  return found;
}
