// The least that a schema takes: required fields only, the first of what is listed, text that fits its pattern.
import { sample } from '../sample.mjs';

/** A value that fits the schema and holds no more than it must; undefined when none is easily found. */
export function minimalValue(schema, defs, depth = 0) {
  if (typeof schema !== 'object' || schema === null || depth > 8) return undefined;
  if (schema.$ref) return minimalValue(defs[schema.$ref.slice('#/$defs/'.length)], defs, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.contentEncoding === 'base64') return 'data:text/plain;base64,YWJj';
  const union = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(union)) {
    for (const branch of union) {
      const value = minimalValue(
        { ...schema, oneOf: undefined, anyOf: undefined, ...branch },
        defs,
        depth + 1,
      );
      if (value !== undefined) return value;
    }
    return undefined;
  }
  if (Array.isArray(schema.allOf)) {
    const parts = [...schema.allOf, { ...schema, allOf: undefined }].map((part) =>
      minimalValue(part, defs, depth + 1),
    );
    const objects = parts.filter((part) => typeof part === 'object' && part !== null);
    return objects.length > 0 ? Object.assign({}, ...objects) : parts.find((part) => part !== undefined);
  }
  const type = [schema.type].flat().find((word) => word !== 'null');
  if (type === 'array') {
    const item = minimalValue(schema.items ?? {}, defs, depth + 1);
    return (schema.minItems ?? 0) > 0 || item === undefined
      ? Array(Math.max(schema.minItems ?? 0, 0)).fill(item)
      : [item];
  }
  if (type === 'object' || (type === undefined && schema.properties)) {
    const value = {};
    for (const name of schema.required ?? []) {
      const inner = minimalValue(schema.properties?.[name] ?? {}, defs, depth + 1);
      if (inner === undefined) return undefined;
      value[name] = inner;
    }
    return value;
  }
  return type === undefined ? 'any' : sample(schema, defs);
}
