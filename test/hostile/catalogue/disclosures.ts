import type { Row } from '../row.ts';

/** A secret that the gateway sends to the API of these rows, which returns it in disguise. */
export const disclosedSecret = 'canary-7f3a9c51e2d84b60';

const each = (text: string, change: (character: string) => string): string =>
  Array.from(text, change).join('');
const code = (character: string): number => character.codePointAt(0)!;
const hex = (character: string, digits = 2): string => code(character).toString(16).padStart(digits, '0');
const between = (text: string, mark: string): string => [...text].join(mark);
const shifted = (text: string, by: number): string =>
  each(text, (one) => (/[!-~]/.test(one) ? String.fromCodePoint(code(one) + by) : one));

const unseen: readonly [string, string][] = [
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a zero-width non-joiner', '\u200c'],
  ['a word joiner', '\u2060'],
  ['a soft hyphen', '\u00ad'],
  ['a NUL', '\0'],
  ['a bell', '\u0007'],
  ['a mark of direction', '\u200e'],
  ['an override of direction', '\u202e'],
  ['an isolate', '\u2066'],
  ['a byte order mark', '\ufeff'],
  ['a joiner of graphemes', '\u034f'],
  ['a filler', '\u3164'],
  ['a variation selector', '\ufe0f'],
  ['a tag character', '\u{e0041}'],
  ['a Mongolian separator', '\u180e'],
  ['an invisible times', '\u2062'],
  ['a deprecated control', '\u206a'],
  ['a control of C1', '\u0085'],
];

/** Spellings of a text, each of which something between an API and a reader turns back into it. */
function spellings(text: string): readonly [string, string][] {
  const named = new Map([
    ['-', '&hyphen;'],
    ['@', '&commat;'],
    ['.', '&period;'],
  ]);
  return [
    ['itself', text],
    ...unseen.map(([what, mark]): [string, string] => [`${what} in each place`, between(text, mark)]),
    ...unseen.map(([what, mark]): [string, string] => [
      `${what} in the middle`,
      `${text.slice(0, 9)}${mark}${text.slice(9)}`,
    ]),
    ['decimal entities', each(text, (one) => `&#${code(one)};`)],
    ['decimal entities without semicolons', each(text, (one) => `&#${code(one)} `).replaceAll(' ', ';')],
    ['padded decimal entities', each(text, (one) => `&#${String(code(one)).padStart(7, '0')};`)],
    ['hexadecimal entities', each(text, (one) => `&#x${hex(one)};`)],
    ['capital hexadecimal entities', each(text, (one) => `&#X${hex(one).toUpperCase()};`)],
    ['entities of entities', each(text, (one) => `&amp;#${code(one)};`)],
    ['named entities', each(text, (one) => named.get(one) ?? one)],
    ['URL encoding', each(text, (one) => `%${hex(one)}`)],
    ['URL encoding of URL encoding', each(text, (one) => `%25${hex(one)}`)],
    ['JSON escapes', each(text, (one) => `\\u${hex(one, 4)}`)],
    ['escaped JSON escapes', each(text, (one) => `\\\\u${hex(one, 4)}`)],
    ['escapes of code points', each(text, (one) => `\\u{${hex(one)}}`)],
    ['escapes of bytes', each(text, (one) => `\\x${hex(one)}`)],
    ['escapes of Python', each(text, (one) => `\\U${hex(one, 8)}`)],
    ['octal escapes', each(text, (one) => `\\${code(one).toString(8).padStart(3, '0')}`)],
    ['escapes of CSS', each(text, (one) => `\\${hex(one, 6)}`)],
    ['needless backslashes', text.replaceAll('-', '\\-')],
    ['quoted-printable', each(text, (one) => `=${hex(one).toUpperCase()}`)],
    ['soft line breaks', `${text.slice(0, 8)}=\r\n${text.slice(8)}`],
    ['full-width characters', shifted(text, 0xfee0)],
    [
      'mathematical characters',
      each(text, (one) =>
        /[a-z]/.test(one)
          ? String.fromCodePoint(0x1_d41a + code(one) - 0x61)
          : /\d/.test(one)
            ? String.fromCodePoint(0x1_d7ce + code(one) - 0x30)
            : one,
      ),
    ],
    ['tag characters alone', shifted(text, 0xe_0000)],
  ];
}

/** What only decoders of HTML turn back. */
function inMarkup(text: string): readonly [string, string][] {
  const halves = [text.slice(0, 9), text.slice(9)] as const;
  return [
    ['a comment', halves.join('<!-- -->')],
    ['a comment in each place', between(text, '<!---->')],
    ['a break opportunity', halves.join('<wbr>')],
    ['a break opportunity in each place', between(text, '<wbr/>')],
    ['bold halves', `<b>${halves[0]}</b><i>${halves[1]}</i>`],
    ['spans', each(text, (one) => `<span>${one}</span>`)],
    ['a hidden script', halves.join('<script>1</script>')],
    ['a hidden style', halves.join('<style>a{}</style>')],
    ['CDATA', `<![CDATA[${text}]]>`],
    ['a tag with a long attribute', halves.join(`<b title="${'x'.repeat(500)}">`)],
    [
      'entities in tags',
      between(
        each(text, (one) => `&#${code(one)};`),
        '<b>',
      ),
    ],
    ['a soft hyphen as entity', halves.join('&shy;')],
    ['a zero-width space as entity', halves.join('&ZeroWidthSpace;')],
    ['a line broken tag', halves.join('<b\n>')],
  ];
}

/** What transports and dumps make of bytes. */
function inBytes(text: string): readonly [string, string][] {
  const bytes = Buffer.from(text);
  const base64 = (given: Buffer | string): string => Buffer.from(given).toString('base64');
  return [
    ['base64', base64(text)],
    ['base64 behind one byte', base64(`a${text}`)],
    ['base64 behind two bytes', base64(`ab${text}`)],
    ['base64 of base64', base64(base64(text))],
    ['base64 for URLs', bytes.toString('base64url')],
    ['base64 of Basic authentication', base64(`someone:${text}`)],
    ['base64 in lines', base64(`${text}${text}${text}${text}`).replace(/.{20}/g, '$&\n')],
    ['base64 of UTF-16', Buffer.from(text, 'utf16le').toString('base64')],
    ['hexadecimal', bytes.toString('hex')],
    ['capital hexadecimal', bytes.toString('hex').toUpperCase()],
    ['hexadecimal with colons', bytes.toString('hex').replace(/..(?=.)/g, '$&:')],
    ['hexadecimal with spaces', bytes.toString('hex').replace(/..(?=.)/g, '$& ')],
    ['a list of bytes', bytes.join(',')],
  ];
}

const reply = (type: string, body: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`,
    ),
    Buffer.from(body),
  ]);

const disclosing = (what: string, bytes: Buffer): Row => ({
  what,
  way: { by: 'reply', tool: 'disclosing', bytes },
  expected: 'answered',
});

const secretRows: readonly Row[] = [
  ...spellings(disclosedSecret).flatMap(([what, text]) => [
    disclosing(`a secret as ${what}, in a text`, reply('text/plain', `it is ${text} .`)),
    disclosing(`a secret as ${what}, in JSON`, reply('application/json', JSON.stringify({ it: text }))),
    disclosing(`a secret as ${what}, in a page`, reply('text/html', `<p>it is ${text} .</p>`)),
    disclosing(`a secret as ${what}, in a list`, reply('text/csv', `a,b\n1,${text}\n`)),
  ]),
  ...inMarkup(disclosedSecret).map(([what, text]) =>
    disclosing(`a secret with ${what}`, reply('text/html', `<p>it is ${text} .</p>`)),
  ),
  ...inBytes(disclosedSecret).map(([what, text]) =>
    disclosing(`a secret in ${what}`, reply('text/plain', `it is ${text} .`)),
  ),
  disclosing(
    'a secret in UTF-16',
    reply('text/plain; charset=utf-16le', Buffer.from(disclosedSecret, 'utf16le')),
  ),
  disclosing(
    'a secret as a key of JSON',
    reply('application/json', JSON.stringify({ [disclosedSecret]: 1 })),
  ),
  disclosing(
    'a secret in a header',
    Buffer.from(`HTTP/1.1 200 OK\r\nLocation: /x?token=${disclosedSecret}\r\nContent-Length: 0\r\n\r\n`),
  ),
];

/** Personal data, and what of it must not be readable where its rules mask or refuse it. */
export const personal: readonly string[] = [
  '4111111111111111',
  'DE89370400440532013000',
  'jane.doe@example.com',
  '+4915123456789',
];

// A rule sees words as they are read; a base64 text is a word of its own (docs/guide/pii.md).
const hidden = personal.flatMap((text) =>
  spellings(text)
    .filter(([what]) => what !== 'soft line breaks')
    .map(([what, spelled]) => [`${text} as ${what}`, spelled] as const),
);
const written: readonly (readonly [string, string])[] = [
  ['a card in groups', '4111 1111 1111 1111'],
  ['a card with hyphens', '4111-1111-1111-1111'],
  ['a card with no-break spaces', '4111\u00a01111\u00a01111\u00a01111'],
  ['a card with en dashes', '4111\u20131111\u20131111\u20131111'],
  ['a card in Arabic digits', '٤١١١١١١١١١١١١١١١'],
  ['a card digit by digit', [...'4111111111111111'].join(' ')],
  ['an IBAN in groups', 'DE89 3704 0044 0532 0130 00'],
  ['an IBAN in small letters', 'de89370400440532013000'],
  ['an address in brackets', '<jane.doe@example.com>'],
  ['a phone number in groups', '+49 (151) 234-567 89'],
  ['a phone number after zeros', '0049 151 23456789'],
];

const personalRows: readonly Row[] = [...hidden, ...written].flatMap(([what, text]): Row[] => [
  disclosing(`${what}, in JSON`, reply('application/json', JSON.stringify({ it: text }))),
  {
    what: `${what}, in an argument`,
    way: { by: 'call', tool: 'refusing', arguments: { deep: [{ it: `see ${text} .` }] } },
    // No API reads tag characters, and they are removed from replies.
    expected: what.includes('tag characters alone') ? 'answered' : 'refused',
  },
]);

const moreArguments: readonly Row[] = (
  [
    ['a card as a number', { it: 4111111111111111 }],
    ['a card as a name', { it: { '4111 1111 1111 1111': 1 } }],
    ['a card behind four megabytes', { it: `${'x '.repeat(1_500_000)}4111111111111111` }],
  ] as [string, unknown][]
).map(([what, args]) => ({
  what,
  way: { by: 'call', tool: 'refusing', arguments: args },
  expected: 'refused',
}));

const heavy: readonly Row[] = (
  [
    ['digits without end', '4'.repeat(2_000_000)],
    ['digits with spaces', '4 '.repeat(1_000_000)],
    ['groups of four', '4111 '.repeat(400_000)],
    ['signs of addresses', 'a@'.repeat(1_000_000)],
    ['beginnings of IBANs', 'DE89 '.repeat(400_000)],
    ['pluses', '+4'.repeat(1_000_000)],
    ['what an expression reads to its end', 'a'.repeat(2_000_000)],
  ] as [string, string][]
).flatMap(([what, text]): Row[] => [
  disclosing(`${what}, in a reply of megabytes`, reply('text/plain', text)),
  {
    what: `${what}, in an argument`,
    way: { by: 'call', tool: 'refusing', arguments: { it: text } },
    expected: 'answered',
  },
]);

/** What an API or a caller hides in a text that must not pass. */
export const disclosures: readonly Row[] = [...secretRows, ...personalRows, ...moreArguments, ...heavy];

/** A text as a patient reader sees it, whatever it was spelled as. */
export function asRead(text: string): string {
  let read = text;
  for (let layer = 0; layer < 5; layer++)
    read = read
      .replace(/<(?:script|style)>.*?<\/(?:script|style)>/gs, '')
      .replace(/<!--.*?-->|<[^>]*>/gs, '')
      .replace(/&shy;|&ZeroWidthSpace;/g, '')
      .replace(
        /&(?:amp|hyphen|commat|period);/g,
        (name) => ({ '&amp;': '&', '&hyphen;': '-', '&commat;': '@', '&period;': '.' })[name]!,
      )
      .replace(/&#x([\da-f]+);/gi, (_, digits: string) => String.fromCodePoint(parseInt(digits, 16)))
      .replace(/&#(\d+);/g, (_, digits: string) => String.fromCodePoint(Number(digits)))
      .replace(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCodePoint(parseInt(digits, 16)))
      .replace(/\\+(?:u\{?|x|U)([\da-f]{2,8})\}?/gi, (_, digits: string) =>
        String.fromCodePoint(Math.min(0x10_ffff, parseInt(digits, 16))),
      )
      .replace(/=([\dA-F]{2})/g, (_, digits: string) => String.fromCodePoint(parseInt(digits, 16)))
      .replace(/[\u{e0020}-\u{e007e}]/gu, (one) => String.fromCodePoint(code(one) - 0xe_0000))
      .normalize('NFKC')
      .replace(/[\p{Cf}\p{Cc}\u3164\u1160\u180e]|\u034f|\ufe0f/gu, '');
  return read;
}
