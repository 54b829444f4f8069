import { expect, it } from 'vitest';
import { connectionTo } from './connection.ts';

const program = ['/usr/bin/node', '/opt/handrail/dist/main.js'];

it.each([
  ['this installation', 'http://localhost:8080/mcp/weather', program, program],
  ['the program of another machine', 'https://gateway.example.com/mcp/weather', program, ['handrail']],
  ['a program whose place is not known', 'http://127.0.0.1:8080/mcp/weather', undefined, ['handrail']],
])('clients that only start programs start %s', (_which, url, known, bridge) => {
  expect(connectionTo({ slug: 'weather', url }, {}, known)).toMatchObject({
    name: 'handrail-weather',
    url,
    bridge,
  });
});

it('names the default server after the product', () => {
  expect(connectionTo({ slug: 'default', url: 'http://localhost/mcp' }, {}, undefined).name).toBe('handrail');
});
