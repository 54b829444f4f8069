import type { XmlForm, XmlForms } from '../domain/operation.ts';
import { arrayOr, isObject, objectOr, type PlainObject, textOr } from '../lib/json/plain-object.ts';
import { below, type Located, placeKey } from './bundle.ts';
import type { Reading } from './reading.ts';

const maxForms = 2_000;

/**
 * How values of a schema are written as XML (https://spec.openapis.org/oas/v3.1.1#xml-object), as a table of forms: the
 * first is the body's own, the others are reachable from it. A table keeps recursive forms finite.
 */
export function readXml(
  reading: Reading,
  schema: Located,
): { readonly forms: XmlForms; readonly isNamed: boolean } {
  const forms: Record<string, XmlForm> = {};
  const known = new Map<string, string>();
  let count = 0;

  function formOf(given: Located, fallbackName?: string): string {
    const target = reading.resolver.follow(given);
    if ('unresolved' in target || !isObject(target.value)) return add({});
    const key = placeKey(target.at);
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const id = reserve();
    known.set(key, id);
    forms[id] = read({ value: target.value, at: target.at }, fallbackName);
    return id;
  }

  function reserve(): string {
    const id = String(count++);
    forms[id] = {};
    return id;
  }

  function add(form: XmlForm): string {
    const id = reserve();
    forms[id] = form;
    return id;
  }

  function read({ value, at }: Located<PlainObject>, fallbackName?: string): XmlForm {
    const xml = objectOr(value['xml']);
    const nodeType = textOr(xml['nodeType']);
    const name = textOr(xml['name']) ?? fallbackName;
    const prefix = textOr(xml['prefix']);
    const namespace = textOr(xml['namespace']);
    const properties = count < maxForms ? propertiesOf({ value, at }, 4) : {};
    return {
      ...(name !== undefined && { name }),
      ...(prefix && { prefix }),
      ...(namespace && { namespace }),
      ...((xml['attribute'] === true || nodeType === 'attribute') && { attribute: true }),
      ...((nodeType === 'text' || nodeType === 'cdata' || xml['x-text'] === true) && { text: true }),
      ...((xml['wrapped'] === true || (nodeType === 'element' && isObject(value['items']))) && {
        wrapped: true,
      }),
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(isObject(value['items']) &&
        count < maxForms && { items: formOf({ value: value['items'], at: below(at, 'items') }) }),
    };
  }

  // Includes the parts of composed schemas: the first one that names a property wins.
  function propertiesOf({ value, at }: Located<PlainObject>, depth: number): Record<string, string> {
    const found: Record<string, string> = {};
    for (const [name, property] of Object.entries(objectOr(value['properties'])))
      if (name !== '__proto__') found[name] = formOf({ value: property, at: below(at, 'properties', name) });
    if (depth === 0) return found;
    for (const key of ['allOf', 'oneOf', 'anyOf']) {
      for (const [i, part] of arrayOr(value[key]).entries()) {
        const target = reading.resolver.follow({ value: part, at: below(at, key, i) });
        if ('unresolved' in target || !isObject(target.value)) continue;
        const inner = propertiesOf({ value: target.value, at: target.at }, depth - 1);
        for (const [name, form] of Object.entries(inner)) found[name] ??= form;
      }
    }
    return found;
  }

  const root = rootName(reading, schema);
  formOf(schema, root);
  return { forms, isNamed: forms['0']?.name !== undefined };
}

// A component's name is the default for the element name.
function rootName(reading: Reading, schema: Located): string | undefined {
  const target = reading.resolver.follow(schema);
  if ('unresolved' in target || target.at.pointer === schema.at.pointer) return undefined;
  const tokens = target.at.pointer.split('/');
  const isComponent = ['schemas', 'definitions'].includes(tokens.at(-2) ?? '');
  return isComponent ? tokens.at(-1) : undefined;
}
