import { createHash } from 'node:crypto';

/** A body that an API sends, and what of it must be there for whoever reads it. */
export interface ReplyBody {
  readonly name: string;
  readonly type: string;
  readonly body: Buffer;
  /** What can be had back, masked; null for bytes, which come back as they are. */
  readonly text: string | null;
}

/** The secret that some bodies echo. */
export const echoedSecret = 'sk-echoed-5fca82b1';

/** Numbers that look like chance, the same for the same seed. */
type Chance = () => number;

function chanceOf(seed: number): Chance {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const vocabulary = [
  'the weather of tomorrow is better than today',
  'invoice',
  'Größe',
  'señor',
  '天気予報は東京で明日晴れ',
  'прогноз погоды',
  'مرحبا بالعالم',
  '🙂🚀',
  'a"quoted\\text\n',
  '0x7fff_ffff',
  'https://example.com/a/b?c=d&e=%20f',
  '{"not":["an","object"]}',
  'NULL',
  'VGhlIHF1aWNrIGJyb3duIGZveA==',
];

const pick = <T>(chance: Chance, items: readonly T[]): T => items[Math.floor(chance() * items.length)]!;
const whole = (chance: Chance, most: number): number => Math.floor(chance() * most);

function word(chance: Chance): string {
  if (chance() < 0.02) return echoedSecret;
  return chance() < 0.3 ? pick(chance, vocabulary) : whole(chance, 2 ** 40).toString(36);
}

function sentence(chance: Chance, words: number): string {
  return Array.from({ length: words }, () => word(chance)).join(' ');
}

function row(chance: Chance, n: number): unknown {
  return {
    id: n,
    name: word(chance),
    price: Math.round(chance() * 1e6) / 100,
    ok: chance() < 0.5,
    none: null,
    tags: Array.from({ length: whole(chance, 4) }, () => word(chance)),
    deep: { at: new Date(whole(chance, 2e12)).toISOString(), more: [{ a: [[n]] }] },
    about: sentence(chance, whole(chance, 20)),
  };
}

/** As many pieces as make so many characters. */
function pieces(size: number, make: (n: number) => string): string[] {
  const made: string[] = [];
  for (let length = 0; length < size;) {
    const piece = make(made.length);
    made.push(piece);
    length += piece.length + 1;
  }
  return made;
}

function nested(chance: Chance, depth: number): unknown {
  if (depth === 0) return word(chance);
  return chance() < 0.5
    ? { [word(chance).slice(0, 20)]: nested(chance, depth - 1), n: depth }
    : [nested(chance, depth - 1), depth];
}

type Make = (chance: Chance, size: number) => string | Buffer;

const list = (size: number, make: (n: number) => string) => `[${pieces(size, make).join(',')}]`;
const rows = (chance: Chance, size: number) => list(size, (n) => JSON.stringify(row(chance, n)));

/** Every kind of body: the type that its API names, and how it is made. */
const kinds: Readonly<Record<string, readonly [type: string, make: Make]>> = {
  records: ['application/json', rows],
  'records, indented': [
    'application/json',
    (chance, size) => `[\n${pieces(size, (n) => JSON.stringify(row(chance, n), null, 2)).join(',\n')}\n]\n`,
  ],
  envelope: ['application/json', (chance, size) => `{"total":7,"items":${rows(chance, size)},"next":null}`],
  numbers: ['application/json', (chance, size) => list(size, () => String(whole(chance, 2 ** 31)))],
  'long numbers': [
    'application/json',
    (chance, size) => list(size, () => `9${Math.floor(chance() * 1e9)}${Math.floor(1e9 + chance() * 1e9)}`),
  ],
  pairs: ['application/json', (chance, size) => list(size, (n) => `[${n},${whole(chance, 100)}]`)],
  texts: ['application/json', (chance, size) => list(size, () => JSON.stringify(word(chance)))],
  'long records': [
    'application/json',
    (chance, size) =>
      list(size, (n) => JSON.stringify({ n, text: sentence(chance, 1 + (whole(chance, 3) * size) / 200) })),
  ],
  'one long text': ['application/json', (chance, size) => JSON.stringify(sentence(chance, size / 12))],
  'wide object': [
    'application/json',
    (chance, size) => `{${pieces(size, (n) => `"key ${n}":${JSON.stringify(row(chance, n))}`).join(',')}}`,
  ],
  deep: ['application/vnd.api+json', (chance, size) => list(size, () => JSON.stringify(nested(chance, 40)))],
  'JSON, cut off': ['application/json', (chance, size) => rows(chance, size).slice(0, -9)],
  'JSON, a comma too many': ['application/json', (chance, size) => `${rows(chance, size).slice(0, -1)},]`],
  'JSON under another name': ['text/plain', rows],
  'JSON lines': [
    'application/x-ndjson',
    (chance, size) => pieces(size, (n) => JSON.stringify(row(chance, n))).join('\n'),
  ],
  'JSON lines, one broken': [
    'application/jsonl',
    (chance, size) => `${pieces(size, (n) => JSON.stringify(row(chance, n))).join('\n')}\n{"id":`,
  ],
  CSV: [
    'text/csv',
    (chance, size) =>
      pieces(size, (n) => `${n},"${sentence(chance, 5).replaceAll('"', '""')}",${chance()}`).join('\r\n'),
  ],
  'CSV, western': [
    'text/csv',
    (chance, size) =>
      Buffer.from(pieces(size, (n) => `${n};Straße;señor;${chance()}`).join('\r\n'), 'latin1'),
  ],
  XML: [
    'application/xml',
    (chance, size) =>
      `<?xml version="1.0"?><rows>${pieces(size, (n) => `<row id="${n}"><![CDATA[${word(chance)}]]></row>`).join('\n')}</rows>`,
  ],
  'XML, not closed': [
    'text/xml',
    (chance, size) => `<a>${pieces(size, () => `<b>${word(chance)}`).join('')}`,
  ],
  HTML: [
    'text/html; charset=utf-8',
    (chance, size) =>
      `<!doctype html><html><script>x=1</script><body>${pieces(size, () => `<p>${sentence(chance, 9)}</p>`).join('\n')}</body></html>`,
  ],
  log: [
    'text/plain',
    (chance, size) =>
      pieces(size, (n) => `2026-01-01T00:00:00Z INFO ${n} ${sentence(chance, whole(chance, 12))}`).join('\n'),
  ],
  'one line': [
    'text/plain',
    (chance, size) =>
      pieces(size, () => word(chance))
        .join('')
        .replaceAll('\n', ''),
  ],
  'empty lines': ['text/plain', (_chance, size) => '\n'.repeat(size)],
  letters: ['text/plain', (chance, size) => pieces(size, () => whole(chance, 2 ** 50).toString(36)).join('')],
  scripts: [
    'text/markdown',
    (chance, size) => pieces(size / 2, () => `${vocabulary[4 + whole(chance, 4)]!}。`).join(''),
  ],
  bytes: ['application/octet-stream', (chance, size) => randomBytes(chance, size)],
  PDF: [
    'application/pdf',
    (chance, size) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(chance, size)]),
  ],
  'zip without a type': [
    '',
    (chance, size) => Buffer.concat([Buffer.from('PK\u0003\u0004'), randomBytes(chance, size)]),
  ],
};

function randomBytes(chance: Chance, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 4)
    bytes.writeUInt32LE(Math.floor(chance() * 2 ** 32), Math.min(at, size - 4));
  return bytes;
}

/** The kinds of bodies, by name. */
export const bodyKinds = Object.keys(kinds);

/** A body of a kind, of about so many bytes; the same for the same seed. */
export function replyBody(kind: string, seed: number, size: number): ReplyBody {
  const [type, make] = kinds[kind]!;
  const made = make(chanceOf(seed), size);
  const body = typeof made === 'string' ? Buffer.from(made, 'utf8') : made;
  const isText = type !== '' && type !== 'application/octet-stream' && type !== 'application/pdf';
  const read = kind === 'CSV, western' ? body.toString('latin1') : body.toString('utf8');
  return {
    name: `${kind}, ${body.length} bytes, seed ${seed}`,
    type,
    body,
    text: isText ? read.replaceAll(echoedSecret, '[masked]') : null,
  };
}

/** What is left to compare of something long. */
export function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
