import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../explorer/support/browser.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';
import { type AdminApp, planImport, startAdminApp } from './support/admin-app.ts';

const document = (title: string, ...operations: string[]) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: `https://${title.toLowerCase()}.example` }],
    paths: Object.fromEntries(
      operations.map((operationId) => [
        `/${operationId}`,
        { get: { operationId, responses: { 200: { description: 'ok' } } } },
      ]),
    ),
  });

let browser: Browser;
let app: AdminApp;
let source: TestServer;
let served = document('Zoo', 'listAnimals');

beforeAll(async () => {
  browser = await startBrowser();
  app = await startAdminApp();
  await app.gateway.admin('PATCH', '/settings', { egressAllow: ['127.0.0.1'] });
  source = await serveHttp((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(served);
  });
});
afterAll(async () => {
  await app.stop();
  await source.close();
  await browser.close();
});

describe('adding APIs', () => {
  it.each(['credential', 'publish', 'done'] as const)(
    'imports another document from the %s step of the one before',
    async (step) => {
      const { page, trouble, close } = await app.open(browser, '/add');
      await planImport(page, document(`First${step}`, `first_${step}`));
      await page.getByRole('button', { name: 'Add 1 tool' }).click();
      if (step !== 'credential') await page.getByRole('button', { name: 'No authentication' }).click();
      if (step === 'done') await page.getByRole('button', { name: 'Not now' }).click();
      await page.waitForURL((url) => url.searchParams.get('step') === step);
      await page.getByRole('link', { name: 'Add API' }).first().click();
      await planImport(page, document(`Second${step}`, `second_${step}`));
      await page.getByRole('button', { name: 'Add 1 tool' }).click();
      await page.waitForURL((url) => url.searchParams.get('step') === 'credential');
      const { body } = await app.gateway.admin('GET', `/apis/second${step}`);
      expect(body.name).toBe(`Second${step}`);
      expect(trouble).toEqual([]);
      await close();
    },
  );

  it('restores an export with several APIs at one host', async () => {
    for (const slug of ['east', 'west'])
      await app.gateway.admin('POST', '/apis', { slug, baseUrl: `https://both.example/${slug}` });
    const text = JSON.stringify((await app.gateway.admin('GET', '/export')).body);
    for (const slug of ['east', 'west']) await app.gateway.admin('DELETE', `/apis/${slug}`);
    const { page, trouble, close } = await app.open(browser, '/add');
    await planImport(page, text);
    await page.getByRole('button', { name: /^(Add|Apply)/ }).click();
    await expect.poll(async () => (await app.gateway.admin('GET', '/apis/west')).status).toBe(200);
    expect(trouble).toEqual([]);
    await close();
  });

  it('checks for changes from the header of an API', async () => {
    await app.gateway.admin('POST', '/imports', { url: `${source.origin}/openapi.json` });
    served = document('Zoo', 'listAnimals', 'listKeepers');
    const { page, trouble, close } = await app.open(browser, '/apis/zoo');
    await page.getByRole('link', { name: 'Check for changes' }).click();
    await page.getByText('listKeepers').first().waitFor();
    expect(new URL(page.url()).search).toBe('?tab=source');
    expect(trouble).toEqual([]);
    await close();
  });
});

describe('tools', () => {
  it('keep their place in the results when they are switched off', async () => {
    const { page, close } = await app.open(browser, '/tools');
    await page.getByRole('searchbox').fill('weather');
    const names = () => page.getByRole('row').locator('a').allTextContents();
    // The demo's two, and whatever else mentions it.
    await expect.poll(async () => (await names()).length).toBeLessThan(8);
    const before = await names();
    const refetched = page.waitForResponse((reply) => reply.url().includes('/api/v1/search'));
    await page.getByRole('row').getByRole('switch').first().click({ force: true });
    await refetched;
    await expect.poll(() => page.getByRole('row').getByRole('switch').first().isChecked()).toBe(false);
    expect(await names()).toEqual(before);
    await page.getByRole('row').getByRole('switch').first().click({ force: true });
    await expect.poll(() => page.getByRole('row').getByRole('switch').first().isChecked()).toBe(true);
    await close();
  });

  it('of a key are those of its servers', async () => {
    await app.gateway.admin('POST', '/servers', {
      slug: 'small',
      name: 'Small',
      tools: [{ tool: 'weather_get' }],
    });
    const { page, trouble, close } = await app.open(browser, '/keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('narrow');
    await dialog.getByRole('combobox', { name: 'Servers' }).click();
    await page.getByRole('option', { name: 'Small' }).click();
    await page.keyboard.press('Escape');
    await dialog.getByText('Selected tools').click();
    await expect.poll(() => dialog.getByRole('row').count()).toBe(2);
    await dialog.getByText('weather_get').waitFor();
    expect(trouble).toEqual([]);
    await close();
  });
});

describe('numbers', () => {
  it('called success rate are the same on every page', async () => {
    for (let at = 0; at < 3; at++)
      await app.gateway.admin('POST', '/tools/weather_get/call', { arguments: { location: 'Berlin' } });
    // An agent's mistake, and an API's.
    await app.gateway.admin('POST', '/tools/weather_get/call', { arguments: {} });
    await app.gateway.admin('POST', '/tools/demo_failing/call', {});
    const shown: string[] = [];
    for (const path of ['/', '/analytics?range=24h']) {
      const { page, close } = await app.open(browser, path);
      const rate = page
        .locator('main')
        .getByText(/^\d+(\.\d+)?%$/)
        .first();
      await rate.waitFor();
      shown.push((await rate.textContent())!);
      await close();
    }
    expect(shown).toEqual(['60%', '60%']);
  });
});
