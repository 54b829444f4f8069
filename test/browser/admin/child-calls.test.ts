import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCallWithChildren } from '../../support/child-calls.ts';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, settled, startAdminApp } from './support/admin-app.ts';

let browser: Browser;
let app: AdminApp;
let parent = '';

beforeAll(async () => {
  browser = await startBrowser();
  app = await startAdminApp();
  parent = await makeCallWithChildren(
    app.gateway.gateway,
    Array.from({ length: 23 }, (_, n) => `query ${n}`),
  );
});
afterAll(async () => {
  await app.stop();
  await browser.close();
});

it.each([
  ['English', 'en-GB', 'Calls made for this one', 'All of them', 'Made for'],
  ['Spanish', 'es-ES', 'Llamadas hechas para esta', 'Todas', 'Hecha para'],
])('a call leads to those made for it, and each of them back: %s', async (_, locale, title, all, madeFor) => {
  const { page, trouble, close } = await app.open(browser, `/calls/${parent}`, { locale });
  const panel = page.locator('section', { has: page.getByRole('heading', { name: title }) });
  await panel.waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  expect(await panel.getByRole('listitem').count()).toBe(20);

  await panel.getByRole('link', { name: 'search_documents' }).first().click();
  const back = page.locator('dl div', { hasText: madeFor }).getByRole('link', { name: parent });
  await back.waitFor();
  expect(await page.getByRole('heading', { name: title }).count()).toBe(0);
  expect(await axeViolations(page)).toEqual([]);

  await back.click();
  await panel.getByRole('link', { name: all }).click();
  await page.getByRole('button', { name: `${madeFor}: ${parent}` }).waitFor();
  await page.getByText(/^23 (calls|llamadas)$/).waitFor();
  expect(trouble).toEqual([]);
  await close();
});
