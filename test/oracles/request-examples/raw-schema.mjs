// Checks a value against a schema as the document has it, with a validator that Handrail does not use. What OpenAPI 3.0
// and Swagger 2 say beyond JSON Schema draft 4 is written out first: `nullable`, and that `readOnly` is not required.
import { dereference, validate } from '@cfworker/json-schema';

const base = 'https://document.example/';
const illustrating = new Set(['example', 'examples', 'default', 'x-example', 'x-examples']);

/** Makes a check for one document: the faults of a value, each with the JSON Pointer of what is wrong. */
export function rawChecker(opened) {
  const { document, follow } = opened;
  const isDraft4 = document.swagger !== undefined || String(document.openapi).startsWith('3.0');
  const draft = isDraft4 ? '4' : '2020-12';
  const written = writeOut(document);
  written.$id = base;
  if (isDraft4) written.id = base;
  const lookup = dereference(written, Object.create(null), new URL(base));

  function writeOut(value, isNames = false) {
    if (Array.isArray(value)) return value.map((inner) => writeOut(inner));
    if (typeof value !== 'object' || value === null) return value;
    const out = {};
    for (const [key, inner] of Object.entries(value)) {
      // What only illustrates is left out: an `id` in there would be taken for an address.
      if (!isNames && (illustrating.has(key) || key.startsWith('x-ms-'))) continue;
      if ((key === 'id' || key === '$id') && typeof inner === 'string') continue;
      out[key] =
        !isNames && (key === 'enum' || key === 'const')
          ? inner
          : writeOut(inner, !isNames && key === 'properties');
    }
    if (isNames) return out;
    if (isDraft4 && (value.nullable === true || value['x-nullable'] === true)) {
      if (typeof out.type === 'string') out.type = [out.type, 'null'];
      if (Array.isArray(out.enum) && !out.enum.includes(null)) out.enum = [...out.enum, null];
    }
    if (out.type === 'file') out.type = 'string';
    if (Array.isArray(out.required) && typeof value.properties === 'object' && value.properties !== null) {
      out.required = out.required.filter((name) => follow(value.properties[name])?.readOnly !== true);
      if (out.required.length === 0) delete out.required;
    }
    if (typeof out.required === 'boolean') delete out.required;
    return out;
  }

  return (value, schema) => {
    const own = writeOut(schema);
    const absolute = (node) => {
      if (Array.isArray(node)) return node.map(absolute);
      if (typeof node !== 'object' || node === null) return node;
      const out = {};
      for (const [key, inner] of Object.entries(node))
        out[key] = key === '$ref' && typeof inner === 'string' ? new URL(inner, base).href : absolute(inner);
      return out;
    };
    const asked = absolute(own);
    const known = Object.assign(
      Object.create(lookup),
      dereference(asked, Object.create(null), new URL('https://asked.example/')),
    );
    const { errors } = validate(value, asked, draft, known, false);
    return [...errors, ...outOfRange(value, follow(schema))].map(({ instanceLocation, keyword, error }) => ({
      path: decodeURI(instanceLocation.replace(/^#/, '')),
      keyword,
      error,
    }));
  };
}

// The validator knows no formats of numbers.
function outOfRange(value, schema) {
  const isInt32 = Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
  return schema?.format === 'int32' && typeof value === 'number' && !isInt32
    ? [{ instanceLocation: '#', keyword: 'format', error: 'not of 32 bits' }]
    : [];
}
