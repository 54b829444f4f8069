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
});
afterAll(async () => {
  await app.stop();
  await browser.close();
});

const isEnabled = async (name: string) =>
  (await app.gateway.admin('GET', `/tools/${name}`)).body.enabled as boolean;

it('a tool is disabled everywhere by one click, and back by another', async () => {
  const { page, trouble, follow, close } = await app.open(browser, '/tools');
  await page.getByRole('switch', { name: 'Enable addPet' }).click();
  await page.getByText('addPet is disabled everywhere').waitFor();
  await expect.poll(() => isEnabled('addPet')).toBe(false);
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => isEnabled('addPet')).toBe(true);

  await follow('/tools/getPet');
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('getPet is disabled everywhere').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => isEnabled('getPet')).toBe(true);
  expect(trouble).toEqual([]);
  await close();
});

it('undoing a change of many tools leaves alone what it did not change', async () => {
  await app.gateway.admin('PATCH', '/tools/addPet', { enabled: false });
  const { page, trouble, close } = await app.open(browser, '/tools?q=&api=shop');
  for (const name of ['addPet', 'getPet', 'listPets'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).click();
  const bar = page.getByRole('region', { name: /selected/i });
  await bar.getByRole('button', { name: 'Disable' }).click();
  await expect.poll(() => isEnabled('getPet')).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => isEnabled('getPet')).toBe(true);
  expect([await isEnabled('listPets'), await isEnabled('addPet')]).toEqual([true, false]);
  expect(trouble).toEqual([]);
  await close();
});

it('says who uses what is about to be deleted', async () => {
  await app.gateway.admin('POST', '/tools/listPets/call', { arguments: {} });
  const { page, trouble, close } = await app.open(browser, '/tools/listPets');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Used by 1 server (default). 1 call in the last 24 hours.').waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(trouble).toEqual([]);
  await close();
});
