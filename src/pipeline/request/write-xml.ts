import type { JsonValue } from '../../domain/json-schema.ts';
import type { XmlForm, XmlForms } from '../../domain/operation.ts';
import { withDigits } from '../../lib/json/numbers/exact-numbers.ts';
import { unsafeValueError } from './percent-encode.ts';

const plain: XmlForm = {};
const rootForm = '0';
const fallbackRoot = 'root';
const maxDepth = 100;

/** Writes a value as an XML document by the forms of its schema; anything they don't mention becomes an element. */
export function xmlText(value: JsonValue, forms: XmlForms): string {
  const form = forms[rootForm] ?? plain;
  const name = form.name ?? fallbackRoot;
  const root = isList(value)
    ? element(name, form, '', items(value, form, name, 1))
    : written(name, value, form, 1);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`;

  /** One element, or several for a list that is not wrapped. `called` is the default element name. */
  function written(called: string, given: JsonValue, own: XmlForm, depth: number): string {
    if (given === null) return '';
    if (depth > maxDepth) throw unsafeValueError(called, 'is nested too deeply for XML');
    if (isList(given)) {
      if (!own.wrapped) return items(given, own, called, depth);
      const outer = own.name ?? called;
      return element(outer, own, '', items(given, own, outer, depth));
    }
    if (typeof given !== 'object') return element(own.name ?? called, own, '', escaped(given, called));
    const { attributes, content } = inside(given, own, depth);
    return element(own.name ?? called, own, attributes, content);
  }

  function items(list: readonly JsonValue[], xml: XmlForm, called: string, depth: number): string {
    const own = xml.items === undefined ? plain : (forms[xml.items] ?? plain);
    return withDigits(list)
      .map((item) => written(own.name ?? called, item, own, depth + 1))
      .join('');
  }

  function inside(
    given: { readonly [key: string]: JsonValue },
    xml: XmlForm,
    depth: number,
  ): { attributes: string; content: string } {
    let attributes = '';
    let content = '';
    const values = withDigits(given);
    const order = Object.keys(xml.properties ?? {}).filter((key) => Object.hasOwn(values, key));
    const others = Object.keys(values).filter((key) => !order.includes(key));
    for (const key of [...order, ...others]) {
      const inner = values[key]!;
      const id = xml.properties?.[key];
      const own = id === undefined ? plain : (forms[id] ?? plain);
      if (inner === null) continue;
      if (own.text) content += escaped(inner, key);
      else if (own.attribute && typeof inner !== 'object')
        attributes += ` ${qualified(own.name ?? key, own)}="${attributeText(inner, key)}"`;
      else content += written(key, inner, own, depth + 1);
    }
    return { attributes, content };
  }
}

function element(name: string, form: XmlForm, attributes: string, content: string): string {
  const tag = qualified(name, form);
  const declared =
    form.namespace === undefined
      ? ''
      : ` xmlns${form.prefix === undefined ? '' : `:${form.prefix}`}="${escaped(form.namespace, name)}"`;
  return content === ''
    ? `<${tag}${declared}${attributes}/>`
    : `<${tag}${declared}${attributes}>${content}</${tag}>`;
}

// https://www.w3.org/TR/xml/#NT-Name, without the colon: prefixes come from the document.
const xmlName = /^[\p{L}_][\p{L}\p{N}\p{M}_.\-·]*$/u;

function qualified(name: string, { prefix }: XmlForm): string {
  if (!xmlName.test(name) && !(prefix === undefined && isPrefixed(name)))
    throw unsafeValueError(name.slice(0, 100), 'cannot be the name of an element in XML');
  return prefix === undefined ? name : `${prefix}:${name}`;
}

// Some documents write the prefix into the name.
function isPrefixed(name: string): boolean {
  const parts = name.split(':');
  return parts.length === 2 && parts.every((part) => xmlName.test(part));
}

const special: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

function escaped(value: JsonValue, name: string): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // https://www.w3.org/TR/xml/#charsets: these are not allowed even when escaped.
  // oxlint-disable-next-line no-control-regex -- matching these is the point
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text) || !text.isWellFormed())
    throw unsafeValueError(name, 'contains a character that XML cannot carry');
  return text.replace(/[&<>"\r]/g, (found) => special[found]!);
}

// Parsers turn line ends and tabs in attributes into spaces unless they are escaped.
function attributeText(value: JsonValue, name: string): string {
  return escaped(value, name).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
