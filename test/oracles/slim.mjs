// The libraries resolve whole documents, which takes minutes for large ones: each operation is handed to them alone, its
// parameters and form bodies with references filled in by nothing but JSON Pointers.

function at(document, pointer) {
  let value = document;
  for (const token of pointer.replace(/^#\//, '').split('/'))
    value = value?.[decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')];
  return value;
}

function fill(document, value, depth) {
  if (depth > 12 || typeof value !== 'object' || value === null)
    return typeof value === 'object' && value !== null ? {} : value;
  if (typeof value.$ref === 'string')
    return value.$ref.startsWith('#') ? fill(document, at(document, value.$ref), depth + 1) : {};
  if (Array.isArray(value)) return value.map((inner) => fill(document, inner, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key]) =>
          !/^(description|default|examples?|x-.*)$/.test(key) || (depth > 0 && key === 'description'),
      )
      .map(([key, inner]) => [key, fill(document, inner, depth + 1)]),
  );
}

// Defaults are left out: swagger-client sends those of other parameters, which is not what is compared.

/** The document with one operation only; null when it is not there. */
export function slimDocument(document, method, path) {
  const item = fill(
    document,
    document.paths[path] && {
      parameters: document.paths[path].parameters,
      [method]: pick(document.paths[path][method]),
    },
    0,
  );
  if (!item?.[method]) return null;
  // One parameter is given at a time, and a library that misses another would build nothing.
  for (const parameter of [...(item.parameters ?? []), ...(item[method].parameters ?? [])])
    if (parameter?.in !== 'path') delete parameter.required;
  if (item[method].requestBody) delete item[method].requestBody.required;
  item[method].operationId = 'op';
  item[method].responses = { 200: { description: 'ok' } };
  return document.swagger
    ? {
        swagger: '2.0',
        info: { title: 't', version: '1' },
        host: 'api.example.com',
        basePath: '',
        schemes: ['https'],
        consumes: document.consumes,
        paths: { [path]: item },
      }
    : {
        openapi: document.openapi.startsWith('3.2') ? '3.1.0' : document.openapi,
        info: { title: 't', version: '1' },
        servers: [{ url: 'https://api.example.com' }],
        paths: { [path]: item },
      };
}

function pick(operation) {
  if (typeof operation !== 'object' || operation === null) return undefined;
  return {
    parameters: operation.parameters,
    requestBody: operation.requestBody,
    consumes: operation.consumes,
  };
}
