import type { Row } from '../row.ts';

const values: readonly [string, string][] = [
  ['two dots', '..'],
  ['a dot', '.'],
  ['encoded dots', '%2e%2e'],
  ['a step up', '../../../etc/passwd'],
  ['an encoded step up', '..%2f..%2f'],
  ['a backslash', '..\\..\\'],
  ['another host', '//evil.example/'],
  ['a whole address', 'http://169.254.169.254/latest/'],
  ['a question mark', 'a?admin=true'],
  ['a fragment', 'a#b'],
  ['an ampersand', 'a&admin=true'],
  ['a semicolon', 'a;admin=true'],
  ['a line break', 'a\r\nX-Admin: true'],
  ['a bare line feed', 'a\nX-Admin: true'],
  ['a NUL', 'a\0b'],
  ['a tab', 'a\tb'],
  ['a slash', 'a/b'],
  ['an encoded slash', 'a%2Fb'],
  ['a broken escape', '%zz%'],
  ['a lone surrogate', 'a\ud800b'],
  ['marks of direction', 'a\u202eb\u200bc'],
  ['emoji', '🙂'.repeat(100)],
  ['a template', '{{secret}} ${secret} {secret}'],
  ['a script', '<script>alert(1)</script>'],
  ['a query of a database', "'; DROP TABLE tools; --"],
  ['a quarter of a megabyte', 'x'.repeat(250_000)],
  ['a row of slashes', '/'.repeat(50_000)],
  ['beginnings of keys', '-----BEGIN PRIVATE KEY-----'.repeat(5_000)],
  ['beginnings of tokens', '-eyJ'.repeat(50_000)],
];

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
};

/** What a model, or whoever poses as one, sends as arguments. */
export const hostileArguments: readonly Row[] = [
  ...values.flatMap(([what, value]) =>
    ['path', 'query', 'header', 'cookie', 'body'].map((place): Row => ({
      what: `${what} in the ${place}`,
      way: { by: 'call', arguments: { path: 'p', [place]: value } },
      expected: 'in place',
    })),
  ),
  ...(
    [
      ['no object', [1, 2, 3]],
      ['a text', 'x'],
      ['a number', 7],
      ['nothing that is required', {}],
      ['a list for a text', { path: ['a', 'b'] }],
      ['an object for a text', { path: { toString: 'x' } }],
      [
        'names of the prototype',
        JSON.parse('{"path":"p","__proto__":{"admin":true},"constructor":1,"hasOwnProperty":2}'),
      ],
      ['a name of 60,000 capital letters', { path: 'p', ['A'.repeat(60_000)]: 1 }],
      ['a name of a quarter of a megabyte', { path: 'p', ['aB'.repeat(125_000)]: 1 }],
      [
        'twenty thousand names',
        Object.fromEntries([['path', 'p'], ...Array.from({ length: 20_000 }, (_, i) => [`n${i}`, i])]),
      ],
      ['deep nesting in JSON', { path: 'p', object: nested(50) }],
      ['deep nesting as text', { path: 'p', object: '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000) }],
      ['a list without end as text', { path: 'p', list: `[${'1,'.repeat(200_000)}1]` }],
      [
        'forty thousand texts against a union',
        { path: 'p', union: Array.from({ length: 40_000 }, () => 'x') },
      ],
      [
        'fifteen thousand objects that must differ',
        { path: 'p', unique: Array.from({ length: 15_000 }, (_, i) => ({ i })) },
      ],
      ['a pattern that backtracks', { path: 'p', pattern: `${'a'.repeat(30_000)}!` }],
      ['an address that is none', { path: 'p', url: `http://${':@'.repeat(50_000)}` }],
      ['a date that is none', { path: 'p', date: '2026-99-99T99:99:99' }],
      ['a file that is no base64', { path: 'p', file: '====' }],
      ['a file from the disk', { path: 'p', file: 'file:///etc/passwd' }],
    ] as [string, unknown][]
  ).map(([what, args]): Row => ({
    what,
    way: { by: 'call', arguments: args },
    expected: 'answered',
  })),
  ...['__proto__', 'constructor', 'toString', '', 'x'.repeat(100_000), '../probe', 'PROBE', 'probe\0'].map(
    (tool): Row => ({
      what: `a tool called ${JSON.stringify(tool.slice(0, 30))}`,
      way: { by: 'call', tool, arguments: {} },
      expected: 'refused',
    }),
  ),
];
