import { attributesOf, scanMarkup } from './scan-markup.ts';

/** XML as the value that JSON with the same content would have. */
export type XmlValue = string | readonly XmlValue[] | { readonly [name: string]: XmlValue };

interface Element {
  readonly name: string;
  /** Attributes that describe a text (language, type); dropped if the element is plain text. */
  readonly marks: [string, string][];
  readonly fields: Record<string, XmlValue | XmlValue[]>;
  text: string;
}

const maxDepth = 64;
const maxElements = 10_000;

/**
 * Reads XML: an element that contains only text becomes that text; any other becomes an object of its
 * attributes and elements, without their prefixes, and with repeated ones as a list. Null if there is no
 * element. Lenient: an unclosed element ends with its parent, and anything beyond reasonable depth or size is
 * left out.
 */
export function xmlValue(source: string): XmlValue | null {
  const root = element('');
  const path: Element[] = [root];
  let left = maxElements;
  for (const piece of scanMarkup(source)) {
    const current = path.at(-1)!;
    if (piece.kind === 'text') {
      current.text += piece.text;
    } else if (piece.kind === 'close') {
      const name = localName(piece.name);
      const place = path.findLastIndex((each) => each.name === name);
      if (place > 0) while (path.length > place) close(path);
    } else if (path.length <= maxDepth && left-- > 0) {
      const opened = element(localName(piece.name));
      for (const [name, value] of Object.entries(attributesOf(piece.attributes, 'xml'))) {
        if (/^(?:xmlns|xsi|xml)(?::|$)/.test(name)) continue;
        if (name === 'type' || name === 'lang' || name === 'nil') opened.marks.push([name, value]);
        else put(opened.fields, localName(name), value);
      }
      path.push(opened);
      if (piece.empty) close(path);
    }
  }
  while (path.length > 1) close(path);
  return Object.keys(root.fields).length === 0 ? null : root.fields;
}

function element(name: string): Element {
  const fields: Element['fields'] = Object.create(null);
  return { name, marks: [], fields, text: '' };
}

function close(path: Element[]): void {
  const { name, marks, fields, text } = path.pop()!;
  const said = text.trim();
  const isText =
    Object.keys(fields).length === 0 && (said !== '' || marks.every(([, value]) => value === 'array'));
  if (!isText) for (const [mark, value] of marks) if (value !== 'array') put(fields, mark, value);
  if (!isText && said !== '') put(fields, 'text', said);
  put(path.at(-1)!.fields, name, isText ? said : fields);
}

function put(fields: Record<string, XmlValue | XmlValue[]>, name: string, value: XmlValue): void {
  const known = fields[name];
  if (known === undefined) fields[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else fields[name] = [known, value];
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
