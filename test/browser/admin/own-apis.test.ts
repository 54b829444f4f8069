import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';
import { type AdminApp, planImport, startAdminApp } from './support/admin-app.ts';

const operation = (operationId: string, tag: string) => ({
  operationId,
  tags: [tag],
  parameters: [{ name: 'X-Tenant', in: 'header', schema: { type: 'string' } }],
  responses: { 200: { description: 'ok' } },
});
const library = (paths: Record<string, unknown>) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Library', version: '1' },
    servers: [{ url: 'https://library.example' }],
    paths,
  });
const first = library({
  '/books': { get: operation('listBooks', 'books') },
  '/people': { get: operation('listPeople', 'people') },
});
const second = library({
  '/books': { get: operation('listBooks', 'books'), post: operation('addBook', 'books') },
  '/people': { get: operation('listPeople', 'people') },
});

let browser: Browser;
let app: AdminApp;
let source: TestServer;
let served = first;

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

describe('an import', () => {
  it('imports what a rule selects, hides headers, watches, and later imports what matches the rule', async () => {
    const { page, trouble, close } = await app.open(browser, '/add');
    await planImport(page, `${source.origin}/openapi.json`);
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('tag:books');
    await page.getByRole('button', { name: 'Keep only this one' }).click();
    await page.getByText('Saved as a rule').waitFor();
    await page.getByRole('button', { name: 'Show options' }).click();
    await page.getByRole('combobox', { name: 'Header parameters' }).click();
    await page.getByRole('option', { name: 'Hide from the model' }).click();
    await page.getByRole('combobox', { name: 'Check for changes' }).click();
    await page.getByRole('option', { name: 'Every hour' }).click();
    // Every option requests a new plan; the last plan decides what is added.
    const planned = page.waitForResponse((answer) =>
      (answer.request().postData() ?? '').includes('"approveChanges":true'),
    );
    await page
      .getByRole('switch', { name: 'Require approval for new and changed tools' })
      .click({ force: true });
    await planned;
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add 1 tool' }).click();
    await page.getByRole('button', { name: 'No authentication' }).click();
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('Ready to use').waitFor();
    const made = (await app.gateway.admin('GET', '/apis/library')).body;
    expect(made.source).toMatchObject({
      watchEveryMs: 3_600_000,
      approveChanges: true,
      rules: { headers: 'hide' },
    });
    expect(made.toolCount).toBe(1);
    expect(trouble).toEqual([]);
    await close();

    served = second;
    const later = await app.open(browser, '/apis/library?tab=source');
    await later.page.getByText('Not checked since the import.').waitFor();
    await later.page.getByRole('button', { name: 'Check for changes' }).click();
    await later.page.getByText('addBook').waitFor();
    await later.page.getByText('Changes found').waitFor();
    expect(await axeViolations(later.page)).toEqual([]);
    await later.page.getByRole('button', { name: 'Apply changes' }).click();
    await expect.poll(async () => (await app.gateway.admin('GET', '/apis/library')).body.toolCount).toBe(2);
    expect(later.trouble).toEqual([]);
    await later.close();
  });

  it('follows references between several files', async () => {
    const { page, trouble, close } = await app.open(browser, '/add');
    const root = library({ '/shelves': { $ref: 'paths/shelves.json' } }).replace('Library', 'Shelves');
    const files = [
      { name: 'openapi.json', mimeType: 'application/json', buffer: Buffer.from(root) },
      {
        name: 'paths/shelves.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify({ get: operation('listShelves', 'shelves') })),
      },
    ];
    await page.locator('input[type=file]').first().setInputFiles(files);
    await page.getByText('References between files are resolved.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('listShelves').first().waitFor();
    expect(trouble).toEqual([]);
    await close();
  });

  it('is exported again, for Handrail and for HandsAI', async () => {
    const { page, close } = await app.open(browser, '/apis/library?tab=source');
    for (const [format, name] of [
      ['Handrail format (everything except secrets)', 'library.handrail.json'],
      ['HandsAI format', 'library.handsai.json'],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click();
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: format }).click();
      expect((await saved).suggestedFilename()).toBe(name);
    }
    await close();
  });
});

describe('a server', () => {
  it('gets a prompt and a resource from forms, and loses its instructions', async () => {
    await app.gateway.admin('POST', '/servers', {
      slug: 'desk',
      name: 'Desk',
      tools: [],
      instructions: 'Be brief.',
    });
    const { page, trouble, close } = await app.open(browser, '/servers/desk?tab=prompts');
    await page.getByRole('button', { name: 'Add prompt' }).click();
    await page.getByLabel('Name', { exact: false }).first().fill('summary');
    await page.getByLabel('Text', { exact: true }).fill('Summarize {{city}}.');
    await page.getByRole('button', { name: 'Add from the text: city' }).click();
    await page.getByRole('button', { name: 'Add resource' }).click();
    await page.getByLabel('URI').fill('docs://rules');
    await page.getByLabel('Name', { exact: false }).last().fill('Rules');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    expect((await app.gateway.admin('GET', '/servers/desk')).body).toMatchObject({
      prompts: [{ name: 'summary', text: 'Summarize {{city}}.', arguments: [{ name: 'city' }] }],
      resources: [{ uri: 'docs://rules', name: 'Rules' }],
    });
    await close();

    const settings = await app.open(browser, '/servers/desk?tab=settings');
    await settings.page.getByLabel('Instructions').fill('');
    await settings.page.getByRole('button', { name: 'Save' }).click();
    await settings.page.getByText('Saved', { exact: true }).first().waitFor();
    expect((await app.gateway.admin('GET', '/servers/desk')).body).not.toHaveProperty('instructions');
    expect([...trouble, ...settings.trouble]).toEqual([]);
    await settings.close();
  });

  it('shows what a dialect changes', async () => {
    const { page, close } = await app.open(browser, '/servers/default?tab=settings');
    await page.getByRole('button', { name: 'Preview a dialect' }).click();
    await page
      .getByRole('dialog')
      .getByText(/tools change/)
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await close();
  });
});

describe('calls', () => {
  beforeAll(async () => {
    for (let i = 0; i < 3; i++)
      await app.gateway.admin('POST', '/tools/weather_get/call', { arguments: { location: 'Berlin' } });
    await app.gateway.admin('POST', '/tools/demo_failing/call', {});
  });

  it('are filtered by tool and status, and exported', async () => {
    const { page, trouble, close } = await app.open(browser, '/calls');
    await page.getByRole('link', { name: 'demo_failing' }).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Tool' }).fill('weather_get');
    await page.keyboard.press('Enter');
    await page.getByLabel('HTTP status').fill('200');
    await expect.poll(() => page.getByRole('link', { name: 'demo_failing' }).count()).toBe(0);
    expect(new URL(page.url()).search).toBe('?tool=weather_get&status=200');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Export' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    expect((await saved).suggestedFilename()).toBe('handrail-calls.csv');
    expect(trouble).toEqual([]);
    await close();
  });

  it('appear live', async () => {
    const { page, close } = await app.open(browser, '/calls?tool=get_weather');
    await page.getByText('No results').waitFor();
    await app.gateway.admin('POST', '/tools/get_weather/call', { arguments: { city: 'Lima' } });
    await expect.poll(() => page.getByRole('link', { name: 'get_weather' }).count()).toBeGreaterThan(0);
    await close();
  });

  it('are charted for one tool', async () => {
    const { page, trouble, close } = await app.open(browser, '/analytics?range=1h');
    await page.getByRole('button', { name: 'weather_get', exact: true }).first().click();
    await page.getByRole('link', { name: 'View calls' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(trouble).toEqual([]);
    await close();
  });
});
