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
  // The first row is the heading of the day.
  await rows.nth(2).getByText('ms').click();
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
  // A day in quarters of an hour, from its beginning, and a label at each end of the axis.
  const times = page.getByRole('figure', { name: 'Calls over time' }).locator('tbody th');
  expect(await times.count()).toBeGreaterThanOrEqual(96);
  const labels = await chart.locator('text[class*="tick"]').allTextContents();
  expect(labels).toContain(await times.first().textContent());
  expect(labels.at(-1)).toBe(await times.last().textContent());
  await page.getByRole('region', { name: 'Callers and tools' }).waitFor();
  await chart.locator('g[data-tone] rect').last().click({ force: true });
  await page.waitForURL(/\/admin\/calls\?from=/);
  await page.getByRole('table', { name: 'Calls' }).getByRole('row').nth(1).waitFor();
  expect(trouble).toEqual([]);
  await close();
});

it('why a call failed is in the list and one click away, and it can be sent again', async () => {
  const { text } = await fetch(`${app.gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'weather_get', arguments: { place: 'Berlin' } },
    }),
  }).then(async (response) => ({ text: await response.text() }));
  expect(text).toContain('location');
  const { page, trouble, close } = await app.open(browser, '/calls?tool=weather_get', {
    viewport: { width: 1000, height: 900 },
  });
  const row = page.getByRole('table', { name: 'Calls' }).getByRole('row').filter({ hasText: 'weather_get' });
  await row.getByText('Bad arguments').first().waitFor();
  await row
    .getByText(/location/)
    .first()
    .waitFor();
  await page.getByRole('figure', { name: 'Calls and errors over time' }).waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view' }).click();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Agent errors · 24 hours' }).click();
  await page.waitForURL(/outcome=agent/);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'weather_get', exact: true }).click();
  await page.getByRole('menu').waitFor({ state: 'hidden' });
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  await row.getByRole('link').first().click();
  const step = (name: string) => page.getByRole('group', { name });
  await step('Model sent').getByText('"Berlin"').waitFor();
  await step('Request').getByText('No request was sent.').waitFor();
  await step('API replied').getByText('The API sent nothing').waitFor();
  await step('Model received')
    .getByText(/location/)
    .waitFor();
  await step('Model sent').getByLabel('Plain text').check();
  await step('Model sent').getByLabel('Raw').check();
  await step('Model sent').getByText('{"place":"Berlin"}').waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  const before = page.url();
  await page.getByRole('button', { name: 'Replay' }).click();
  await expect.poll(() => page.url()).not.toBe(before);
  await step('Model received')
    .getByText(/location/)
    .waitFor();
  await page.getByRole('button', { name: 'Make a check' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Question for the model').fill('How is the weather in Berlin?');
  await dialog.getByLabel('Name').fill('Weather');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const { body } = await app.gateway.admin('GET', '/servers/default/checks');
  expect(body.items).toMatchObject([
    {
      name: 'Weather',
      question: 'How is the weather in Berlin?',
      expect: { calls: [{ tool: 'weather_get', arguments: { place: 'Berlin' } }] },
    },
  ]);
  expect(trouble).toEqual([]);
  await close();
});
