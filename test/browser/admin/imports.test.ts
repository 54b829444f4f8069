import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, planImport, settled, startAdminApp } from './support/admin-app.ts';
import { petshop } from './support/petshop.ts';

let browser: Browser;
let app: AdminApp;
let source: Server;
let url: string;
/** Requests for the document, which is sent when they are answered. */
const waiting: ServerResponse[] = [];

beforeAll(async () => {
  browser = await startBrowser();
  app = await startAdminApp();
  source = createServer((_request, response) => void waiting.push(response));
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  const { port } = source.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/petshop.json`;
  await app.gateway.admin('PATCH', '/settings', {
    egressAllow: [app.upstream.host, `127.0.0.1:${port}`],
  });
});
afterAll(async () => {
  await app.stop();
  await browser.close();
  source.closeAllConnections();
  source.close();
});

const answer = () => waiting.shift()!.end(petshop(app.upstream.origin));

describe('an import', () => {
  it('survives reloading and leaving the page, and is found again in the list of imports', async () => {
    const { page, trouble, goTo, follow, close } = await app.open(browser, '/add');
    await page.getByRole('textbox', { name: /openapi\.json/ }).fill(url);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => waiting.length).toBe(1);
    await page.getByText('Fetching document…').first().waitFor();
    await page.reload();
    await page.getByText('Fetching document…').first().waitFor();
    await follow('/tools');
    const tray = page.getByRole('region', { name: 'Imports' }).first();
    await tray.getByText('petshop.json').waitFor();
    await tray.getByText('Fetching document…').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    answer();
    await tray.getByText('Plan ready to review').click();
    await page.getByRole('button', { name: 'Add 4 tools' }).waitFor();
    // The page that shows it needs no entry for it.
    expect(await page.getByRole('region', { name: 'Imports' }).count()).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'Add 4 tools' }).click();
    // The document is read as it is now; the page is reloaded meanwhile.
    await expect.poll(() => waiting.length).toBe(1);
    await page.reload();
    await page.getByText('Fetching document…').first().waitFor();
    answer();
    const question = page.getByText(/Does Pet shop require/);
    await question.waitFor();
    await page.reload();
    await question.waitFor();
    await goTo('/');
    await tray.getByText('Tools added').waitFor();
    await tray.getByRole('button', { name: /^Remove .*petshop\.json from the list$/ }).click();
    await tray.waitFor({ state: 'hidden' });
    expect(trouble).toEqual([]);
    await close();
  });

  it('is canceled from the list, and stops', async () => {
    const { page, trouble, follow, close } = await app.open(browser, '/add');
    await page.getByRole('textbox', { name: /openapi\.json/ }).fill(url);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => waiting.length).toBe(1);
    const [response] = waiting.splice(0);
    const gone = new Promise((resolve) => response!.once('close', resolve));
    await page.getByText('Fetching document…').first().waitFor();
    await follow('/calls');
    const tray = page.getByRole('region', { name: 'Imports' }).first();
    await tray.getByRole('button', { name: /^Cancel/ }).click();
    await gone;
    await tray.waitFor({ state: 'hidden' });
    expect(trouble).toEqual([]);
    await close();
  });

  it('restores a backup of ten APIs at one host', async () => {
    for (let n = 0; n < 10; n++)
      await app.gateway.admin('POST', '/imports', {
        text: petshop(app.upstream.origin).replace('"Pet shop"', `"Shop ${n}"`),
        api: `shop-${n}`,
      });
    const slugs = Array.from({ length: 10 }, (_, n) => `shop-${n}`);
    const { body } = await app.gateway.admin('GET', `/export?api=${slugs.join(',')}`);
    for (const slug of slugs) await app.gateway.admin('DELETE', `/apis/${slug}`);
    const { page, trouble, close } = await app.open(browser, '/add');
    await planImport(page, JSON.stringify(body));
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add 40 tools' }).click();
    await expect
      .poll(async () => (await app.gateway.admin('GET', '/apis?limit=500')).body.items.length)
      .toBeGreaterThanOrEqual(10);
    for (const slug of slugs)
      expect((await app.gateway.admin('GET', `/tools?api=${slug}`)).body.total).toBe(4);
    expect(trouble).toEqual([]);
    await close();
  });
});
