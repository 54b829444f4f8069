import { describe, expect, it } from 'vitest';
import { parseImport } from '../../reading/parse-import.ts';
import { shellCommands } from './shell-words.ts';

const read = (text: string) =>
  parseImport({ files: [{ name: 'commands', content: Buffer.from(text) }] }).apis[0]!;
const first = (text: string) => read(text).operations[0]!;
const operationOf = (text: string) => first(text).content!.operation;
const codesOf = (text: string) => first(text).notes.map(({ code }) => code);

describe('words of a shell', () => {
  it('keeps a line break inside a quoted argument of cmd.exe', () => {
    const text =
      'curl ^"https://x.example/a^" ^\r\n  -H ^"a: b^" ^\r\n  --data-raw ^"^{^\\^"k^\\^":1^\n\n^}^"';
    expect(shellCommands(text)[0]!.words).toEqual([
      'curl',
      'https://x.example/a',
      '-H',
      'a: b',
      '--data-raw',
      '{"k":1\n}',
    ]);
  });

  it('reads the form of cmd.exe on one line, where $ and ` are plain and "" is a quote or nothing', () => {
    expect(shellCommands('curl ^"https://x.example/?^$top=1^" -d "{""a"":""`b""}" -H ""')[0]!.words).toEqual([
      'curl',
      'https://x.example/?$top=1',
      '-d',
      '{"a":"`b"}',
      '-H',
      '',
    ]);
  });

  it('fills in the variables that the text sets, and lists those it does not', () => {
    const [command] = shellCommands(
      `HOST=https://x.example\nexport MODE="a b"\ncurl "$HOST/\${MODE}" '$MODE' -H "k: $TOKEN" -d "$(date +"%s")"`,
    );
    expect(command!.words).toEqual([
      'curl',
      'https://x.example/a b',
      '$MODE',
      '-H',
      'k: $TOKEN',
      '-d',
      '$(date +"%s")',
    ]);
    expect(command!.unfilled).toEqual(['$TOKEN', '$(date +"%s")']);
  });
});

describe('where cURL commands stand', () => {
  it.each([
    ['a script', '#!/bin/sh\nset -e\nBASE=https://x.example\ncurl "$BASE/a"'],
    ['a terminal', '$ curl https://x.example/a'],
    ['a page of Markdown', '```bash\ncurl https://x.example/a\n```'],
    ['a pipe', 'cat body.json | curl -d @- https://x.example/a'],
  ])('reads them from %s', (_name, text) => {
    expect(operationOf(text).path).toBe('/a');
  });
});

describe('what curl sends', () => {
  it('joins pieces of --json as they are', () => {
    const text = `curl --json '{"a":1' --json ',"b":2}' https://x.example/`;
    expect(operationOf(text).parameters).toMatchObject([
      { name: 'a', default: 1 },
      { name: 'b', default: 2 },
    ]);
  });

  it('sends a JSON part of a form by its value', () => {
    const text = `curl -F 'j={"a":1};type=application/json' https://x.example/`;
    expect(operationOf(text).parameters).toMatchObject([{ name: 'j', default: { a: 1 } }]);
  });

  it('joins headers that stand twice', () => {
    const text = `curl -H 'X-A: 1' -H 'x-a: 2' https://x.example/`;
    expect(operationOf(text).parameters).toMatchObject([{ name: 'X-A', fixed: '1, 2' }]);
  });

  it.each([
    [`--data-urlencode 'text@f.txt' -d n=1`, ['text', 'n']],
    [`-F 'text=<f.txt' -F n=1`, ['text', 'n']],
    [`-d a=1 -d @f.txt`, ['body']],
    [`--json @f.json`, ['body']],
  ])('asks for the content of a file: %s', (options, names) => {
    const text = `curl ${options} https://x.example/`;
    expect(operationOf(text).parameters.map(({ name }) => name)).toEqual(names);
    expect(operationOf(text).parameters[0]).toMatchObject({ required: true });
    expect(codesOf(text)).toContain('curl_option');
  });

  it('expands lists and ranges in addresses, unless told not to', () => {
    expect(read('curl https://x.example/{a,b}/[1-2]').operations.map(({ key }) => key)).toEqual([
      'GET /a/1',
      'GET /a/2',
      'GET /b/1',
      'GET /b/2',
    ]);
    expect(read('curl -g https://x.example/[1-2]').operations).toHaveLength(1);
  });

  it('takes a recorded multipart body apart', () => {
    const text = `curl https://x.example/ -H 'content-type: multipart/form-data; boundary=--b' --data-raw $'----b\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\n1\\r\\n----b\\r\\nContent-Disposition: form-data; name="f"; filename="x.png"\\r\\nContent-Type: image/png\\r\\n\\r\\n\\r\\n----b--\\r\\n'`;
    const { body, parameters } = operationOf(text);
    expect(parameters).toMatchObject([
      { name: 'a', default: '1' },
      { name: 'f', required: true },
    ]);
    expect(body).toEqual({
      mediaType: 'multipart/form-data',
      shape: 'fields',
      encoding: { f: { file: true, contentType: 'image/png' } },
    });
  });

  it('says when a number of the body is rounded', () => {
    expect(codesOf(`curl --json '{"id":12345678901234567890}' https://x.example/`)).toEqual([
      'number_rounded',
    ]);
  });
});

describe('secrets in commands', () => {
  it('does not take the name of a shell variable for a secret', () => {
    const api = read('curl -H "Authorization: Bearer $TOKEN" https://x.example/');
    expect([api.auth, api.proposedCredential]).toEqual([{ kind: 'bearer' }, undefined]);
    expect(api.operations[0]!.notes).toMatchObject([{ code: 'shell_variable' }]);
  });

  it('keeps no signed token, whatever its name', () => {
    const token = `eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(20)}.${'b'.repeat(20)}`;
    const api = read(`curl -H 'X-Id: ${token}' 'https://x.example/?t=${token}' --json '{"v":"${token}"}'`);
    expect(JSON.stringify(api.operations)).not.toContain('eyJ');
  });
});
