import { describe, expect, it } from 'vitest';
import { parseImport } from '../reading/parse-import.ts';
import { chooseApis } from './choose-apis.ts';

const entry = (url: string, mimeType: string) => ({
  request: { method: 'GET', url, headers: [] },
  response: { status: 200, content: { mimeType, text: mimeType.includes('json') ? '{"a":1}' : 'x' } },
});
const recorded = (...entries: object[]) =>
  parseImport({ files: [{ name: 'r.har', content: JSON.stringify({ log: { entries } }) }] }).apis;
const hosts = (apis: readonly { name: string }[]) => apis.map(({ name }) => name);

const trackers = Array.from({ length: 100 }, (_, i) => entry(`https://t${i}.example/p.png`, 'image/png'));
const page = entry('https://www.example/', 'text/html');
const data = entry('https://api.example/items', 'application/json');
const more = entry('https://other.example/items', 'application/json');

describe('a recording of many hosts', () => {
  it('gives the one that answered with data when one API is named', () => {
    expect(hosts(chooseApis(recorded(...trackers, page, data), { api: 'shop' }))).toEqual(['api.example']);
  });

  it('offers those that answered with data when there are several, and takes the one that is chosen', () => {
    const apis = recorded(...trackers, page, data, more);
    expect(() => chooseApis(apis, { api: 'shop' })).toThrow(
      /describes 103 APIs.*api\.example \(1 operation\), other\.example \(1 operation\)\. Choose one by its host/,
    );
    expect(hosts(chooseApis(apis, { api: 'shop', host: 'other.example' }))).toEqual(['other.example']);
    expect(hosts(chooseApis(apis, { host: 'https://api.example' }))).toEqual(['api.example']);
  });

  it('says which hosts there are when another is asked for', () => {
    expect(() => chooseApis(recorded(data, more), { host: 'none.example' })).toThrow(
      'api.example (1 operation)',
    );
  });

  it('makes no API of a host that only sent parts of pages', () => {
    expect(hosts(chooseApis(recorded(...trackers, data, more), {}))).toEqual([
      'api.example',
      'other.example',
    ]);
  });

  it('is taken whole when nothing in it is data', () => {
    expect(chooseApis(recorded(...trackers.slice(0, 2)), {})).toHaveLength(2);
  });
});
