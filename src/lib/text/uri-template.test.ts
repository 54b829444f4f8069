import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.ts';
import { parseUriTemplate, UriTemplateError } from './uri-template.ts';

const read = (template: string, uri: string) => {
  const found = parseUriTemplate(template).match(uri);
  return found && Object.fromEntries(found);
};

describe('parseUriTemplate', () => {
  it('reads what a URI holds in its places', () => {
    expect(read('zoo://{kind}/{id}', 'zoo://cat/7')).toEqual({ kind: ['cat'], id: ['7'] });
    expect(read('zoo://{name}.json', 'zoo://a.b.json')).toEqual({ name: ['a.b'] });
    expect(read('file:///{+path}', 'file:///a/b?c')).toEqual({ path: ['a/b?c'] });
    expect(read('zoo://{x,y}', 'zoo://1,2')).toEqual({ x: ['1'], y: ['2'] });
    expect(read('zoo:{/path*}', 'zoo:/a/b')).toEqual({ path: ['a', 'b'] });
    expect(read('zoo://a{#part}', 'zoo://a#top')).toEqual({ part: ['top'] });
    expect(read('zoo://{city}', 'zoo://S%C3%A3o%20Paulo')).toEqual({ city: ['São Paulo'] });
  });

  it('lets a query leave out names, give them in any order and repeat them', () => {
    const template = 'zoo://animals{?status,limit,tags*}';
    expect(read(template, 'zoo://animals')).toEqual({});
    expect(read(template, 'zoo://animals?limit=5')).toEqual({ limit: ['5'] });
    expect(read(template, 'zoo://animals?limit=5&status=sold')).toEqual({ limit: ['5'], status: ['sold'] });
    expect(read(template, 'zoo://animals?tags=a&tags=b')).toEqual({ tags: ['a', 'b'] });
    expect(read('zoo://{id}{?full}', 'zoo://7?full=true')).toEqual({ id: ['7'], full: ['true'] });
    expect(read('zoo://a?k=v{&limit}', 'zoo://a?k=v&limit=1')).toEqual({ limit: ['1'] });
    expect(read('zoo://{größe}{?straße}', 'zoo://1?stra%C3%9Fe=a')).toEqual({ größe: ['1'], straße: ['a'] });
  });

  it('refuses URIs that the template cannot have made', () => {
    expect(read('zoo://{id}', 'zoo://')).toBeNull();
    expect(read('zoo://{id}', 'zoo://7/8')).toBeNull();
    expect(read('zoo://{id}', 'zoo://7?full=true')).toBeNull();
    expect(read('zoo://{id}/x', 'zoo://7/y')).toBeNull();
    expect(read('zoo://animals{?limit}', 'zoo://animals?other=1')).toBeNull();
    expect(read('zoo://animals{?limit}', 'zoo://animalsX')).toBeNull();
    expect(read('zoo://{x,y}', 'zoo://1,2,3')).toBeNull();
    expect(read('zoo://{id}', `zoo://${'7'.repeat(100_000)}`)).toBeNull();
  });

  it('names what every URI needs', () => {
    expect(parseUriTemplate('zoo://{kind}/{+path}{?limit}').requiredNames).toEqual(['kind', 'path']);
  });

  it('refuses templates that say nothing clear', () => {
    for (const template of [
      'zoo://{id',
      'zoo://id}',
      'zoo://{}',
      'zoo://{a}{b}',
      'zoo://{;a}',
      'zoo://{a}/{a}',
    ])
      expect(() => parseUriTemplate(template), template).toThrow(UriTemplateError);
  });

  it('finds again what was written into a URI', () => {
    const value = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(value, fc.option(value), (id, note) => {
        const query = note === null ? '' : `?note=${encodeURIComponent(note)}`;
        const found = read('zoo://x-{id}/y{?note}', `zoo://x-${encodeURIComponent(id)}/y${query}`);
        expect(found).toEqual({ id: [id], ...(note !== null && { note: [note] }) });
      }),
    );
  });
});
