import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { joinLines, mayDisguise, reveal } from './disguises.ts';
import { createMaskText } from './mask-secrets.ts';

const secret = 'sk-Live_4f9aB7/x+Qz=12';
const each = (spell: (character: string) => string): string => [...secret].map(spell).join('');
const hex = (character: string): string => character.charCodeAt(0).toString(16);
const decimal = (character: string): number => character.charCodeAt(0);
const [head, tail] = [secret.slice(0, 5), secret.slice(5)];

const spellings: Readonly<Record<string, string>> = {
  'zero-width spaces': each((c) => `${c}\u200b`),
  'soft hyphens': each((c) => `${c}\u00ad`),
  'NUL characters': each((c) => `${c}\0`),
  'bidirectional controls': each((c) => `${c}\u202e`),
  'tag characters': each((c) => `${c}\u{e0041}`),
  'variation selectors': each((c) => `${c}\ufe0f`),
  'word joiners': each((c) => `${c}\u2060`),
  'fullwidth letters': each((c) => String.fromCharCode(decimal(c) + 0xfee0)),
  'mathematical letters': secret.replace(/[a-z]/g, (c) => String.fromCodePoint(0x1d41a + decimal(c) - 97)),
  'decimal entities': each((c) => `&#${decimal(c)};`),
  'hexadecimal entities': each((c) => `&#x${hex(c)};`),
  'entities with zeros': each((c) => `&#000${decimal(c)};`),
  'an entity without its semicolon': secret.replace('L', '&#76'),
  'named entities': secret
    .replace('/', '&sol;')
    .replace('+', '&plus;')
    .replace('=', '&equals;')
    .replace('_', '&lowbar;'),
  'invisible named entities': each((c) => `${c}&ZeroWidthSpace;`),
  'entities escaped twice': each((c) => `&amp;#${decimal(c)};`),
  '<wbr>': each((c) => `${c}<wbr>`),
  comments: each((c) => `${c}<!-- > -->`),
  elements: `<b>${head}</b><i class="a>b">${tail}</i>`,
  'a script inside': `${head}<script>var a="</b>";</script>${tail}`,
  'CDATA sections': `<![CDATA[${head}]]><![CDATA[${tail}]]>`,
  'an attribute': `<a href="?k=${each((c) => `&#${decimal(c)};`)}">`,
  'JSON escapes': each((c) => `\\u${hex(c).padStart(4, '0')}`),
  'JavaScript escapes': each((c) => `\\u{${hex(c)}}`),
  'C escapes': each((c) => `\\x${hex(c)}`),
  'octal escapes': each((c) => `\\${decimal(c).toString(8).padStart(3, '0')}`),
  'CSS escapes': each((c) => `\\${hex(c)} `),
  'long CSS escapes': each((c) => `\\${hex(c).padStart(6, '0')}`),
  'percent escapes': each((c) => `%${hex(c)}`),
  'percent escapes of UTF-16': each((c) => `%u00${hex(c)}`),
  'percent-encoded zero-width spaces': each((c) => `${c}%E2%80%8B`),
  'quoted-printable': each((c) => `=${hex(c).toUpperCase()}`),
  'a soft line break': `${head}=\r\n${tail}`,
  'percent escapes behind entities': each((c) => `&#37;${hex(c)}`),
  'entities behind percent escapes': each((c) => `%26amp%3B%23${decimal(c)}%3B`),
  'tags in JSON': JSON.stringify(each((c) => `${c}<b>`)).replaceAll('<', '\\u003c'),
  base64: Buffer.from(`user:${secret}`).toString('base64'),
  'base64 with zero-width spaces': [...Buffer.from(`user:${secret}`).toString('base64')].join('\u200b'),
  'base64 in lines': Buffer.from(`${'xxxxxxxx'.repeat(6)}${secret}`)
    .toString('base64')
    .replace(/(.{20})/g, '$1\r\n'),
  'base64 in escaped lines': JSON.stringify(
    Buffer.from(secret)
      .toString('base64')
      .replace(/(.{10})/g, '$1\n'),
  ),
  'base64 of base64': Buffer.from(Buffer.from(secret).toString('base64')).toString('base64'),
  'base64 of UTF-16': Buffer.from(secret, 'utf16le').toString('base64'),
  hexadecimal: Buffer.from(secret).toString('hex').toUpperCase(),
  'hexadecimal with colons': Buffer.from(secret)
    .toString('hex')
    .replace(/..(?=.)/g, '$&:'),
  'a list of bytes': JSON.stringify(Buffer.from(secret)),
};

describe('a secret in disguise', () => {
  const maskSecrets = createMaskText([secret]);

  it.each(Object.entries(spellings))('is masked: %s', (_name, spelled) => {
    const masked = maskSecrets(`before ${spelled} after`);
    expect(masked).toMatch(/^before .*\[masked\].*after$/s);
    expect(masked.length).toBeLessThan(80 + spelled.length / 3);
  });

  it('is masked among other secrets and text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...Object.values(spellings)), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(' ', ' "text" & more ', '\n\n'),
        (chosen, between) => {
          const masked = maskSecrets(`${between}${chosen.join(between)}${between}`);
          expect(masked.split('[masked]')).toHaveLength(chosen.length + 1);
        },
      ),
    );
  });
});

describe('text without a secret', () => {
  const maskSecrets = createMaskText([secret]);

  it('stays as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        fc.pre(!text.includes('sk-'));
        expect(maskSecrets(text)).toBe(text);
      }),
    );
  });

  it.each(['plain words, 1 to 9: fine.', '{"id":1,"name":"x"}'])('has nothing to reveal: %s', (text) => {
    expect(mayDisguise(text)).toBe(false);
    expect(reveal(text, 'as-text', false).text).toBe(text);
    expect(joinLines(text, false).text).toBe(text);
  });

  it('maps each range of a revealed text to its source', () => {
    const source = 'a&#98;c\\u0064<b>e</b>f';
    const { text, pieces } = reveal(source, 'removed', true);
    expect(text).toBe('abcdef');
    const shown = (from: number, to: number) => source.slice(...pieces!.sourceOf(from, to));
    expect(shown(1, 2)).toBe('&#98;');
    expect(shown(2, 5)).toBe('c\\u0064<b>e');
    expect(shown(0, 6)).toBe(source);
  });
});
