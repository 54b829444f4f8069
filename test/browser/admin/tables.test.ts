import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, settled, startAdminApp } from './support/admin-app.ts';
import { petshop } from './support/petshop.ts';

let browser: Browser;
let app: AdminApp;

beforeAll(async () => {
  browser = await startBrowser();
  app = await startAdminApp();
  await app.gateway.admin('POST', '/imports', { text: petshop(app.upstream.origin), api: 'shop' });
  await app.gateway.admin('POST', '/keys', { name: 'A key' });
  await app.gateway.admin('POST', '/tools/weather_get/call', { arguments: { location: 'Berlin' } });
});
afterAll(async () => {
  await app.stop();
  await browser.close();
});

it.each([
  ['/apis', 'APIs', 'Demo API', 'demo · http://demo.handrail.invalid'],
  ['/servers', 'Servers', 'All tools', '/mcp/default'],
  ['/keys', 'Access keys', 'A key', 'hrk_'],
  ['/tools', 'Tools', 'weather_get', 'Get current weather for a location'],
])(
  '%s is a table with two-line names, whose columns the address keeps',
  async (path, label, name, second) => {
    const { page, trouble, close } = await app.open(browser, path);
    const table = page.getByRole('table', { name: label });
    const row = table.getByRole('row').filter({ hasText: name }).first();
    await row.getByText(second).first().waitFor();

    const calls = table.getByRole('columnheader', { name: 'Calls, 24 h' });
    await calls.getByRole('button').click();
    await expect.poll(() => calls.getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Errors' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    expect(new URL(page.url()).search).toBe('?sort=-calls&hide=errors');

    await page.reload();
    await expect.poll(() => calls.getAttribute('aria-sort')).toBe('descending');
    expect(await table.getByRole('columnheader', { name: 'Errors' }).count()).toBe(0);
    expect(trouble).toEqual([]);
    await close();
  },
);

it('sorts by usage as soon as that is known', async () => {
  const { page, close } = await app.open(browser, '/tools?sort=-calls');
  await expect.poll(() => page.getByRole('row').nth(1).textContent()).toContain('weather_get');
  await close();
});

it('shows where the tokens go for a document without tags', async () => {
  const paths = Object.fromEntries(
    ['/cats', '/cats/{id}', '/dogs'].map((path, at) => [
      path,
      { get: { operationId: `untagged_${at}`, responses: { 200: { description: 'Good' } } } },
    ]),
  );
  const document = { openapi: '3.1.0', info: { title: 'Bare', version: '1' }, paths };
  await app.gateway.admin('POST', '/imports', {
    text: JSON.stringify({ ...document, servers: [{ url: app.upstream.origin }] }),
    api: 'bare',
  });
  const { page, trouble, close } = await app.open(browser, '/apis/bare');
  await page.getByRole('button', { name: 'Where the tokens go' }).click();
  await page.getByText('/cats').first().waitFor();
  expect(trouble).toEqual([]);
  await close();
});
