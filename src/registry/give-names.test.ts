import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpenedRegistry, openRules, openTestRegistry } from '../../test/support/opened-registry.ts';
import { createApi } from './rules/apis.ts';
import { createServer, updateServer } from './rules/servers.ts';
import { createTool, deleteTool, updateTool } from './rules/tools.ts';

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

const add = (api: string, name: string) =>
  opened.decide((snapshot) =>
    createTool(
      snapshot,
      { api, name, description: '', operation: { method: 'GET', path: '/', parameters: [] } },
      moment,
    ),
  );
const names = (slug = 'default') =>
  Object.fromEntries(
    opened.registry.snapshot
      .view(slug)!
      .tools.map(({ name, compiled }) => [`${compiled.api.slug}/${compiled.tool.name}`, name]),
  );

it('whoever has a name keeps it; who comes later is called by its API too', async () => {
  await add('shop', 'list');
  await add('bank', 'list');
  expect(names()).toEqual({ 'shop/list': 'list', 'bank/list': 'bank_list' });
});

it('names that differ only in case count as the same', async () => {
  await add('shop', 'getOrder');
  await add('shop', 'GetOrder');
  await add('bank', 'GETORDER');
  const given = names();
  expect(given).toMatchObject({ 'shop/getOrder': 'getOrder', 'shop/GetOrder': 'shop_GetOrder' });
  expect(new Set(Object.values(given).map((name) => name.toLowerCase())).size).toBe(3);
});

it('steps aside once more when that name is taken as well', async () => {
  await add('shop', 'bank_list');
  await add('shop', 'list');
  await add('bank', 'list');
  const given = names();
  expect(given).toMatchObject({ 'shop/bank_list': 'bank_list', 'shop/list': 'list' });
  expect(new Set(Object.values(given)).size).toBe(3);
});

it('a name once given does not change when the other goes', async () => {
  const first = await add('shop', 'list');
  await add('bank', 'list');
  await opened.decide((snapshot) => deleteTool(snapshot, first.id, moment));
  expect(names()).toEqual({ 'bank/list': 'bank_list' });
  await add('shop', 'list');
  expect(names()).toEqual({ 'bank/list': 'bank_list', 'shop/list': 'list' });
});

it('a tool that gets a new name of its own is called by it', async () => {
  await add('shop', 'list');
  const second = await add('bank', 'list');
  await opened.decide((snapshot) => updateTool(snapshot, second.id, { name: 'accounts' }, undefined, moment));
  expect(names()).toEqual({ 'shop/list': 'list', 'bank/accounts': 'accounts' });
});

it('each server gives names for itself', async () => {
  await add('shop', 'list');
  const second = await add('bank', 'list');
  await opened.decide((snapshot) =>
    createServer(snapshot, { slug: 'bank-only', tools: [{ toolId: second.id }] }, openRules, moment),
  );
  expect(names('bank-only')).toEqual({ 'bank/list': 'list' });
  expect(names()['bank/list']).toBe('bank_list');
});

it('a server cannot call two tools alike', async () => {
  await add('shop', 'list');
  const second = await add('bank', 'pay');
  await expect(
    opened.decide((snapshot) =>
      updateServer(
        snapshot,
        'default',
        { overrides: { [second.id]: { name: 'list' } } },
        undefined,
        openRules,
        moment,
      ),
    ),
  ).rejects.toMatchObject({
    code: 'conflict',
    details: { problems: [{ path: `/overrides/${second.id}/name`, message: 'is taken' }] },
  });
  expect(names()).toEqual({ 'shop/list': 'list', 'bank/pay': 'pay' });
});
