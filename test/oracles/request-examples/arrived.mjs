// Reads what a server received back into values, as a server would, to compare it with the example that was sent.
import qs from 'qs';

/** Whether two JSON values are the same, whatever the order of fields. */
export function sameJson(a, b) {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [mine, theirs] = [Object.keys(a), Object.keys(b)];
  return (
    mine.length === theirs.length && mine.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/** The same once everything is text and what has no text (null, empty lists and objects) is gone, as in forms. */
function sameText(a, b) {
  const [left, right] = [plain(a), plain(b)];
  return sameJson(left ?? null, right ?? null);
}

function plain(value) {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    const items = value.map(plain).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, plain(inner)])
    .filter(([, inner]) => inner !== undefined);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// A field of a form: its text, a list by repetition or commas, brackets, or JSON.
function sameField(given, field) {
  if (sameText(given, field)) return true;
  const one = Array.isArray(field) && field.length === 1 ? field[0] : field;
  if (sameText(given, one)) return true;
  if (Array.isArray(given) && sameText(given, [one].flat())) return true;
  if (typeof one === 'string') {
    const json = parsed(one);
    if (json !== undefined && sameJson(given, json)) return true;
    if (Array.isArray(given) && sameText(given, one.split(','))) return true;
  }
  if (
    Array.isArray(given) &&
    given.length === 1 &&
    typeof one === 'string' &&
    sameJson(given[0], parsed(one))
  )
    return true;
  if (Array.isArray(given) && Array.isArray(field))
    return (
      given.length === field.length &&
      given.every((item, i) => sameText(item, field[i]) || sameJson(item, parsed(field[i])))
    );
  return false;
}

/** The fields of `value` that did not arrive in a body, by name; empty when all of it did. */
export function lostFromBody(value, { body, headers }) {
  const type = String(headers['content-type'] ?? '');
  const text = body.toString('utf8');
  // An empty form has nothing to send.
  if (type === '' && text === '' && plain(value) === undefined) return [];
  if (/json-?l|ndjson|json-seq|stream\+json/.test(type)) {
    const lines = text
      .split('\n')
      .map((line) => line.replace('\u001e', ''))
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line));
    return sameJson([value].flat(), lines) || text === value ? [] : ['the lines'];
  }
  if (type.includes('json')) return lostFields(value, parsed(text));
  if (type.startsWith('application/x-www-form-urlencoded'))
    return lostNames(value, qs.parse(text, { depth: 20, arrayLimit: 10_000, parameterLimit: 100_000 }), text);
  if (type.startsWith('multipart/')) return lostNames(value, partsOf(text, type));
  return text === (typeof value === 'string' ? value : JSON.stringify(value)) ? [] : ['the text'];
}

function lostFields(value, arrived) {
  if (sameJson(value, arrived)) return [];
  if (typeof value !== 'object' || value === null || typeof arrived !== 'object' || arrived === null)
    return ['the body'];
  const names = new Set([...Object.keys(value), ...Object.keys(arrived)]);
  return [...names].filter((name) => !sameJson(value[name], arrived[name]));
}

function lostNames(value, fields, text) {
  if (value === text) return [];
  if (typeof value !== 'object' || value === null) return ['the body'];
  return Object.keys(value).filter((name) => !sameField(value[name], fields[name]));
}

function partsOf(text, type) {
  const boundary = /boundary=([^;]+)/.exec(type)?.[1];
  const fields = {};
  for (const part of text.split(`--${boundary}`).slice(1, -1)) {
    const at = part.indexOf('\r\n\r\n');
    const name = /name="([^"]*)"/.exec(part.slice(0, at))?.[1];
    const content = part.slice(at + 4, -2);
    fields[name] = Object.hasOwn(fields, name) ? [fields[name], content].flat() : content;
  }
  return fields;
}

/** Whether a parameter's value arrived where it belongs. `template` is the path as the document writes it. */
export function parameterArrived(example, request, template) {
  const { in: place, name, value, how } = example;
  const texts = textsOf(place, name, request, template);
  if (texts.length === 0) return plain(value) === undefined;
  if (how.contentType?.includes('json')) return sameJson(value, parsed(texts[0]));
  const list = Array.isArray(value) ? value : null;
  const candidates = [texts, texts[0]];
  for (const separator of [',', ' ', '|', '\t'])
    if (texts.length === 1) candidates.push(texts[0].split(separator));
  if (list)
    return (
      candidates.some((candidate) => sameText(list, [candidate].flat())) ||
      sameJson(list, texts.map(parsed)) ||
      sameJson(list, parsed(`[${texts[0]}]`))
    );
  if (typeof value !== 'object' || value === null) return texts.length === 1 && sameText(value, texts[0]);
  const pairs = texts[0].split(',');
  const object = {};
  if (pairs.every((pair) => pair.includes('='))) {
    for (const pair of pairs) object[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1);
  } else for (let i = 0; i + 1 < pairs.length; i += 2) object[pairs[i]] = pairs[i + 1];
  const query = place === 'query' ? qs.parse(request.query, { depth: 20 }) : {};
  return [object, query[name], pick(query, Object.keys(value)), parsed(texts[0])].some((candidate) =>
    sameText(value, candidate),
  );
}

function pick(from, names) {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]),
  );
}

function textsOf(place, name, request, template) {
  if (place === 'header') {
    const value = request.headers[name.toLowerCase()];
    return value === undefined ? [] : [value];
  }
  if (place === 'query') {
    const own = new URLSearchParams(request.query);
    const exact = own.getAll(name);
    if (exact.length > 0) return exact;
    const inBrackets = [...own].filter(([key]) => key.startsWith(`${name}[`)).map(([, value]) => value);
    return inBrackets.length > 0 ? inBrackets : [...own].map(([, value]) => value);
  }
  if (place === 'cookie') {
    const pair = (request.headers.cookie ?? '').split('; ').find((each) => each.startsWith(`${name}=`));
    return pair === undefined ? [] : [decodeURIComponent(pair.slice(name.length + 1))];
  }
  return fromPath(name, request.path, template);
}

function fromPath(name, path, template) {
  const slots = [];
  const expression = template
    .replace(/[?#].*$/, '')
    .split(/(\{[^{}]+\})/)
    .map((part) => {
      if (!part.startsWith('{')) return encodeURI(part).replace(/[.*+?^$()|[\]\\{}]/g, '\\$&');
      slots.push(part.slice(1, -1));
      return '([^/]*)';
    })
    .join('');
  const match = new RegExp(`${expression}$`).exec(path);
  const at = slots.findIndex((slot) => slot === name || slot.replace(/[+*]/g, '') === name);
  return match && at >= 0 ? [decodeURIComponent(match[at + 1])] : [];
}
