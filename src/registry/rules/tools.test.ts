import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRegistry, openTestRegistry } from '../../../test/support/opened-registry.ts';
import { createApi } from './apis.ts';
import { changeTools, type ToolsChange } from './change-tools.ts';
import { findTool } from './find-and-revise.ts';
import { createTool, deleteTool, type NewTool, type ToolPatch, updateTool } from './tools.ts';

const moment = { nowMs: 2_000 };
let opened: OpenedRegistry;

beforeEach(async () => {
  opened = await openTestRegistry();
  for (const slug of ['shop', 'bank'])
    await opened.decide((snapshot) =>
      createApi(snapshot, { slug, baseUrl: `https://${slug}.example.com` }, moment),
    );
});
afterEach(() => opened.close());

const create = (input: Partial<NewTool> = {}) =>
  opened.decide((snapshot) =>
    createTool(
      snapshot,
      {
        api: 'shop',
        name: 'list',
        description: 'Lists.',
        operation: { method: 'get', path: '/', parameters: [] },
        ...input,
      },
      moment,
    ),
  );
const update = (reference: string, patch: ToolPatch, revision?: number) =>
  opened.decide((snapshot) => updateTool(snapshot, reference, patch, revision, moment));
const change = (references: readonly string[], wanted: ToolsChange) =>
  opened.decide((snapshot) => changeTools(snapshot, references, wanted, moment));

describe('a new tool', () => {
  it.each([
    ['get', { readOnlyHint: true, destructiveHint: false, idempotentHint: true }],
    ['POST', { readOnlyHint: false, idempotentHint: false }],
    ['put', { readOnlyHint: false, idempotentHint: true }],
    ['Delete', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
  ])('that sends %s has the hints of that method', async (method, annotations) => {
    const tool = await create({ operation: { method, path: '/', parameters: [] } });
    expect(tool.operation.method).toBe(method.toUpperCase());
    expect(tool.annotations).toMatchObject(annotations);
  });

  it.each([
    ['a name its API has', {}, 'conflict', '/name'],
    ['a name that no client takes', { name: 'no spaces' }, 'invalid_input', '/name'],
    ['an API that is not there', { api: 'nothing' }, 'not_found', undefined],
    [
      'a method that is never sent',
      { name: 'b', operation: { method: 'TRACE', path: '/', parameters: [] } },
      'invalid_input',
      '/operation/method',
    ],
  ])('is refused with %s', async (_what, input, code, path) => {
    await create();
    await expect(create(input)).rejects.toMatchObject({
      code,
      ...(path !== undefined && { details: { problems: [expect.objectContaining({ path })] } }),
    });
  });

  it('may have the name of another API’s tool', async () => {
    await create();
    expect(await create({ api: 'bank' })).toMatchObject({ name: 'list' });
  });
});

describe('a tool is found', () => {
  beforeEach(async () => {
    await create();
    await create({ api: 'bank' });
    await create({ api: 'bank', name: 'pay' });
  });

  it.each([
    ['pay', 'bank'],
    ['bank/pay', 'bank'],
    ['bank/list', 'bank'],
    ['shop/list', 'shop'],
  ])('as %s', (reference, slug) => {
    const { snapshot } = opened.registry;
    expect(snapshot.apis.get(findTool(snapshot, reference).apiId)?.slug).toBe(slug);
  });

  it.each([
    ['list', 'conflict', 'Say which one: shop/list, bank/list.'],
    ['shop/pay', 'not_found', 'There is no tool "shop/pay"'],
    ['pays', 'not_found', 'pay'],
    ['', 'not_found', 'There is no tool ""'],
  ])('not as "%s"', (reference, code, why) => {
    expect(() => findTool(opened.registry.snapshot, reference)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(why) as unknown }),
    );
  });
});

describe('an edit', () => {
  it.each([
    ['of an older revision', { title: 'x' }, 9, 'stale'],
    ['to a name that is taken', { name: 'other' }, undefined, 'conflict'],
    [
      'to a method that is never sent',
      { operation: { method: 'TRACE', path: '/', parameters: [] } },
      undefined,
      'invalid_input',
    ],
  ])('%s is refused', async (_what, patch, revision, code) => {
    await create();
    await create({ name: 'other' });
    await expect(update('list', patch, revision)).rejects.toMatchObject({ code });
  });

  it('may take a name that its holder leaves in the same commit', async () => {
    await create();
    await create({ name: 'other' });
    await opened.decide((snapshot) => {
      const moves = updateTool(snapshot, 'other', { name: 'third' }, undefined, moment);
      const takes = updateTool(snapshot, 'list', { name: 'other' }, undefined, moment);
      return { changes: [...moves.changes, ...takes.changes], result: null };
    });
    expect([...opened.registry.snapshot.tools.values()].map((tool) => tool.name).toSorted()).toEqual([
      'other',
      'third',
    ]);
  });

  it('of an imported tool keeps what the import wrote, once', async () => {
    await create({ source: { operationKey: 'GET /' } });
    await update('list', { description: 'Mine.' });
    await update('list', { description: 'Mine again.' });
    expect(findTool(opened.registry.snapshot, 'list').source?.imported).toMatchObject({
      description: 'Lists.',
    });
  });
});

describe('many tools at once', () => {
  beforeEach(async () => {
    await create({ tags: ['a', 'b'] });
    await create({ name: 'buy', tags: ['b'] });
    await create({ name: 'pay', api: 'bank' });
  });

  it.each([
    ['disabled', ['list', 'buy'], { enabled: false }, 2],
    ['enabled that are', ['list', 'buy'], { enabled: true }, 0],
    ['named twice', ['list', 'shop/list'], { enabled: false }, 1],
    ['given a tag that some have', ['list', 'pay'], { addTags: ['a'] }, 1],
    ['rid of a tag', ['list', 'buy', 'pay'], { removeTags: ['b'] }, 2],
    ['deleted', ['list', 'pay'], { delete: true }, 2],
  ] as const)('%s', async (_what, references, wanted, touched) => {
    expect(await change(references, wanted)).toBe(touched);
  });

  it('change together or not at all', async () => {
    await expect(change(['list', 'nothing'], { enabled: false })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(findTool(opened.registry.snapshot, 'list').enabled).toBe(true);
  });

  it('keep the order of their tags', async () => {
    await change(['list'], { removeTags: ['a'], addTags: ['c', 'b'] });
    expect(findTool(opened.registry.snapshot, 'list').tags).toEqual(['b', 'c']);
  });
});

it('is gone from every server when it is deleted', async () => {
  const tool = await create();
  await opened.decide((snapshot) => deleteTool(snapshot, tool.id, moment));
  expect(opened.registry.snapshot.view('default')!.tools).toEqual([]);
});
