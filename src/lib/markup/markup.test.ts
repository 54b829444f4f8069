import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { looksLikeHtml, readableHtml } from './readable-html.ts';
import { attributesOf, scanMarkup } from './scan-markup.ts';
import { xmlValue } from './xml-value.ts';

describe('XML as a value', () => {
  it.each<[string, unknown]>([
    ['<a>x</a>', { a: 'x' }],
    ['<a><b>1</b><b>2</b><c/></a>', { a: { b: ['1', '2'], c: '' } }],
    ['<x:a xmlns:x="urn:x" id="7"><x:b lang="en">t</x:b></x:a>', { a: { id: '7', b: 't' } }],
    ['<a code="1">t</a>', { a: { code: '1', text: 't' } }],
    ['<a type="array"/>', { a: '' }],
    [
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e "x">]><a>&amp;&#65;&#x42;&e;<![CDATA[<b>]]></a>',
      { a: '&AB&e;<b>' },
    ],
    ['<a><!-- <b>no</b> --><c>yes</c></a>', { a: { c: 'yes' } }],
    ['<a><b>open', { a: { b: 'open' } }],
    ['<a></b></a>', { a: '' }],
    ['no markup', null],
  ])('%s', (text, value) => expect(xmlValue(text)).toEqual(value));
});

describe('HTML as words', () => {
  it('keeps what a reader sees, and nothing else', () => {
    const page = `<!DOCTYPE html><html><head><title>A &amp; B</title><style>p{}</style><script>if (a<b) x("</p>")</script></head>
      <body><h1>Hello</h1><p>One <b>two</b>
      three</p><div hidden>secret <div>more</div></div><p style="display: none">ignore</p><noscript>no</noscript>
      <ul><li>first<li>second</ul><table><tr><td>a</td><td>b</td></tr></table><pre>x
  y</pre><img alt="a picture"><a href="/next?page=2">Next</a> <a href="javascript:x()">run</a></body></html>`;
    expect(readableHtml(page, 'marked').split('\n')).toEqual([
      'A & B',
      '# Hello',
      'One two three',
      '- first',
      '- second',
      'a | b',
      'x',
      '  y',
      'a pictureNext (/next?page=2) run',
    ]);
    expect(readableHtml('<h2>A</h2><a href="/b">c</a>', 'plain')).toBe('A\nc');
  });

  it.each([
    ['<!doctype HTML><p>', true],
    ['  <html lang="en">', true],
    ['<?xml version="1.0"?><html xmlns="x">', true],
    ['<Error><Code>x</Code></Error>', false],
    ['<?xml version="1.0"?><p:problem>', false],
    ['{"a":1}', false],
  ])('is told from XML: %s', (text, isHtml) => expect(looksLikeHtml(text)).toBe(isHtml));
});

describe('reading markup', () => {
  it.each(['<b>x</b>', '<a href=b>x</a>', '<td>x', '<span>x </span>'])(
    'reads a page that is one line of %s once',
    (piece) => {
      // Work that grew with the line for each word of it would take minutes, and vitest would end it.
      expect(readableHtml(piece.repeat(400_000), 'marked').match(/x/g)).toHaveLength(400_000);
    },
  );

  it('reads attributes however they are written', () => {
    expect({ ...attributesOf(' a="1" B=\'2\' c=3 d e = "5"', 'html') }).toEqual({
      a: '1',
      b: '2',
      c: '3',
      d: '',
      e: '5',
    });
  });

  it('makes tags of tags alone, and loses no text without any, whatever it is given', () => {
    const characters = ['<', '>', 'a', '/', '"', "'", ' ', '!', '-', '[', ']', '?', '&'];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...characters) }), (text) => {
        const tags = [...scanMarkup(text)].filter((piece) => piece.kind !== 'text');
        expect(tags.filter((tag) => !/^[a-z]/i.test(tag.name))).toEqual([]);
        const plain = text.replaceAll('<', '');
        expect([...scanMarkup(plain)]).toEqual(plain === '' ? [] : [{ kind: 'text', text: plain }]);
      }),
    );
  });
});
