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
  ['English', 'en-GB', 'Child calls', 'View all', 'Parent call'],
  ['Spanish', 'es-ES', 'Llamadas derivadas', 'Ver todas', 'Llamada principal'],
])('a call links to its child calls, and each of them back: %s', async (_, locale, title, all, madeFor) => {
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

it('a call opens next to the list, the arrow keys move through it, and lists show usage', async () => {
  const { page, trouble, close } = await app.open(browser, '/calls?text=query', {
    viewport: { width: 1400, height: 900 },
  });
  const rows = page.getByRole('table', { name: 'Calls' }).getByRole('row');
  await rows.nth(1).getByText('ms').click();
  const panel = page.getByRole('complementary', { name: 'Call details' });
  const shown = () => panel.locator('code', { hasText: 'call_' }).first().textContent();
  await panel.getByRole('heading', { name: 'Details' }).waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  const first = await shown();
  await page.keyboard.press('ArrowDown');
  await expect.poll(shown).not.toBe(first);
  expect(new URL(page.url()).searchParams.get('call')).toBe(await shown());
  await page.keyboard.press('ArrowUp');
  await expect.poll(shown).toBe(first);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });

  await page.goto(new URL('/admin/tools?q=documents', page.url()).href);
  await page.getByRole('img', { name: /search_documents in the last 24 hours/ }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  await page.goto(new URL('/admin/apis', page.url()).href);
  await page.getByRole('img', { name: /in the last 24 hours/ }).waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  await page.goto(new URL('/admin/analytics', page.url()).href);
  const chart = page.getByRole('figure', { name: 'Calls over time' }).locator('svg');
  await chart.waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  await chart.locator('g[data-tone] rect').last().click({ force: true });
  await page.waitForURL(/\/admin\/calls\?from=/);
  await page.getByRole('table', { name: 'Calls' }).getByRole('row').nth(1).waitFor();
  expect(trouble).toEqual([]);
  await close();
});
