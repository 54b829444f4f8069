import { describe, expect, it } from 'vitest';
import { HandrailError } from '../../domain/errors.ts';
import { applyOverlay } from './apply-overlay.ts';
import { readOverlay } from './read-overlay.ts';

const overlay = (actions: unknown[], version = '1.1.0') =>
  readOverlay({ overlay: version, info: { title: 'O', version: '1' }, actions }, 'o.yaml');
const apply = (document: unknown, actions: unknown[], version?: string) =>
  applyOverlay(document, overlay(actions, version));
const ok = { 200: { description: 'OK' } };

// Written after the examples of https://spec.openapis.org/overlay/v1.1.0.html, section by section.
describe('an overlay', () => {
  it('mirrors the structure of a document', () => {
    const document = {
      info: { title: 'T' },
      paths: { '/': { get: {} }, '/toys': { get: { summary: 'old' } } },
      tags: ['a'],
    };
    const update = {
      info: { 'x-done': 'yes' },
      paths: { '/': { summary: 'Root', get: { 'x-limit': 5 } }, '/toys': { get: { summary: 'new' } } },
      components: null,
      tags: null,
    };
    expect(apply(document, [{ target: '$', update }], '1.0.0').document).toEqual({
      info: { title: 'T', 'x-done': 'yes' },
      paths: { '/': { summary: 'Root', get: { 'x-limit': 5 } }, '/toys': { get: { summary: 'new' } } },
      components: null,
      tags: ['a'],
    });
    expect(document.paths['/toys'].get.summary).toBe('old');
  });

  it('changes single values and objects', () => {
    const document = { paths: { '/a': { get: { description: 'x' } }, '/b': { get: { description: 'y' } } } };
    const actions = [
      { target: "$.paths['/a'].get.description", update: 'A' },
      { target: "$.paths['/b']", update: { post: { description: 'B', 'x-safe': false } } },
    ];
    expect(apply(document, actions).document).toEqual({
      paths: {
        '/a': { get: { description: 'A' } },
        '/b': { get: { description: 'y' }, post: { description: 'B', 'x-safe': false } },
      },
    });
  });

  it('changes many places at once', () => {
    const parameter = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });
    const document = {
      paths: {
        '/a': { get: { parameters: [parameter('filter'), parameter('page')] } },
        '/b': { get: { parameters: [parameter('filter')] } },
      },
    };
    const { document: changed } = apply(document, [
      { target: '$.paths.*.get', update: { 'x-safe': true } },
      {
        target: "$.paths.*.get.parameters[?@.name=='filter' && @.in=='query']",
        update: { schema: { type: 'object' } },
      },
    ]);
    const filter = { ...parameter('filter'), schema: { type: 'object' } };
    expect(changed).toEqual({
      paths: {
        '/a': { get: { parameters: [filter, parameter('page')], 'x-safe': true } },
        '/b': { get: { parameters: [filter], 'x-safe': true } },
      },
    });
  });

  it.each([
    [{ name: 'n', in: 'query' }, [{ name: 'old' }, { name: 'n', in: 'query' }]],
    [
      [{ name: 'n' }, { name: 'm' }],
      [{ name: 'old' }, { name: 'n' }, { name: 'm' }],
    ],
  ])('appends to lists: %j', (update, parameters) => {
    const document = { paths: { '/a': { get: { parameters: [{ name: 'old' }] } } } };
    expect(apply(document, [{ target: '$.paths.*.get.parameters', update }]).document).toEqual({
      paths: { '/a': { get: { parameters } } },
    });
  });

  it('removes from lists and maps, several at once', () => {
    const document = { tags: ['a', 'dummy', 'b', 'dummy'], list: [0, 1, 2, 3], paths: { '/a': 1, '/b': 2 } };
    const actions = [
      { target: "$.tags[?@ == 'dummy']", remove: true },
      { target: '$.list[::-2]', remove: true },
      { target: '$.list[0,0]', remove: true, update: 'no effect' },
      { target: "$.paths['/a']", remove: true },
    ];
    expect(apply(document, actions).document).toEqual({ tags: ['a', 'b'], list: [2], paths: { '/b': 2 } });
  });

  it('applies traits where the document says so', () => {
    const get = { 'x-traits': ['paged'], responses: ok };
    const document = {
      paths: {
        '/a': { get },
        '/b': { get: { ...get, parameters: [{ name: 'id', in: 'path' }] } },
        '/c': { get: { responses: ok } },
      },
    };
    const paging = [
      { name: 'top', in: 'query' },
      { name: 'skip', in: 'query' },
    ];
    const actions = [
      { target: "$.paths[?(@.get['x-traits'][?(@ == 'paged')])].get", update: { parameters: paging } },
    ];
    expect(apply(document, actions).document).toEqual({
      paths: {
        '/a': { get: { ...get, parameters: paging } },
        '/b': { get: { ...get, parameters: [{ name: 'id', in: 'path' }, ...paging] } },
        '/c': { get: { responses: ok } },
      },
    });
  });

  it('copies, and moves with three actions', () => {
    const document = {
      paths: { '/items': { get: { responses: ok } }, '/some': { delete: { responses: ok } } },
    };
    expect(apply(document, [{ target: '$.paths["/some"]', copy: '$.paths["/items"]' }]).document).toEqual({
      paths: {
        '/items': { get: { responses: ok } },
        '/some': { delete: { responses: ok }, get: { responses: ok } },
      },
    });
    const move = [
      { target: '$.paths', update: { '/new': {} } },
      { target: '$.paths["/new"]', copy: '$.paths["/items"]' },
      { target: '$.paths["/items"]', remove: true },
    ];
    expect(apply(document, move).document).toEqual({
      paths: { '/some': { delete: { responses: ok } }, '/new': { get: { responses: ok } } },
    });
  });

  it('says which actions found nothing, and changes the rest', () => {
    const { notes } = apply({ a: 1 }, [
      { target: '$.b', update: 2 },
      { target: '$.a', update: 2 },
    ]);
    expect(notes).toEqual([
      {
        code: 'overlay_unused',
        message: 'Action 1 of the overlay o.yaml changes nothing: the document has nothing at $.b.',
      },
    ]);
  });

  it('changes one of two places that YAML made one object', () => {
    const shared = { summary: 'x' };
    const document = { a: shared, b: shared, c: [shared] };
    expect(apply(document, [{ target: '$.a.summary', remove: true }]).document).toEqual({
      a: {},
      b: { summary: 'x' },
      c: [{ summary: 'x' }],
    });
  });

  it('does not reach what every object inherits', () => {
    const update = JSON.parse('{"__proto__": {"polluted": 1}, "a": 1}') as object;
    expect(apply({}, [{ target: '$', update }]).document).toEqual({ a: 1 });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each<[string, unknown[], string]>([
    ['values of different kinds meet', [{ target: '$', update: { info: 'text' } }], '/info'],
    ['a target leads to values of several kinds', [{ target: '$.*', update: 1 }], 'several kinds'],
    ['more than one value would be copied', [{ target: '$.info', copy: '$.*' }], 'exactly one'],
    ['nothing would be copied', [{ target: '$.info', copy: '$.none' }], 'exactly one'],
  ])('is refused when %s', (_when, actions, why) => {
    expect(() => apply({ info: { title: 'T' }, tags: ['a'] }, actions)).toThrow(why);
  });

  it('leaves alone what an earlier place of the same action took away', () => {
    const action = { target: '$..*', update: 'text' };
    expect(apply({ x: { 0: 1 } }, [action], '1.0.0').document).toEqual({ x: 'text' });
  });

  it('lets the newer value stand where version 1.0 leaves it open', () => {
    expect(apply({ info: { a: 1 } }, [{ target: '$', update: { info: 'text' } }], '1.0.0').document).toEqual({
      info: 'text',
    });
  });

  it.each<[unknown, string]>([
    [{}, 'does not start'],
    [{ overlay: '2.0.0', actions: [{}] }, 'version "2.0.0"'],
    [{ overlay: '1.2.0', actions: [{}] }, '1.0 and 1.1 are supported'],
    [{ overlay: '1.0.0', actions: [] }, 'no "actions"'],
    [{ overlay: '1.0.0', actions: [{ update: 1 }] }, 'action 1 has no "target"'],
    [{ overlay: '1.0.0', actions: [{ target: '$.a' }] }, 'has none of'],
    [{ overlay: '1.0.0', actions: [{ target: 'a', update: 1 }] }, 'not a valid JSONPath'],
    [{ overlay: '1.0.0', actions: [{ target: '$', remove: true }] }, 'whole document'],
    [{ overlay: '1.0.0', actions: [{ target: '$.a', copy: '$.b' }] }, 'needs "overlay: 1.1.0"'],
  ])('is refused when it cannot be read: %j', (value, why) => {
    expect(() => readOverlay(value, 'o.yaml')).toThrow(HandrailError);
    expect(() => readOverlay(value, 'o.yaml')).toThrow(why);
  });
});
