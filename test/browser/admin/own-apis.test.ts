import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';
import { type AdminApp, startAdminApp } from './support/admin-app.ts';

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

const readIt = async (page: Page, text: string) => {
  await page.getByRole('textbox', { name: /openapi\.json/ }).fill(text);
  await page.getByRole('button', { name: 'Read it' }).click();
  await page.getByText('What will be added').waitFor();
};

describe('an import', () => {
  it('takes what a rule chooses, hides headers, watches, and later takes what fits the rule', async () => {
    const { page, trouble, close } = await app.open(browser, '/add');
    await readIt(page, `${source.origin}/openapi.json`);
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('tag:books');
    await page.getByRole('button', { name: 'Take only this' }).click();
    await page.getByText('Taken by rule').waitFor();
    await page.getByRole('button', { name: 'Show options' }).click();
    await page.getByRole('combobox', { name: 'Header parameters' }).click();
    await page.getByRole('option', { name: 'Hide from the model' }).click();
    await page.getByRole('combobox', { name: 'Look for changes' }).click();
    await page.getByRole('option', { name: 'Every hour' }).click();
    // Every option plans anew; what is added is what the last plan says.
    const planned = page.waitForResponse((answer) =>
      (answer.request().postData() ?? '').includes('"approveChanges":true'),
    );
    await page.getByRole('switch', { name: 'Changed tools wait for approval' }).click({ force: true });
    await planned;
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add 1 tool' }).click();
    await page.getByRole('button', { name: 'It wants none' }).click();
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('It is ready').waitFor();
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
    await later.page.getByText('Not looked at since the import.').waitFor();
    await later.page.getByRole('button', { name: 'Look for changes' }).click();
    await later.page.getByText('addBook').waitFor();
    await later.page.getByText('Changes found').waitFor();
    expect(await axeViolations(later.page)).toEqual([]);
    await later.page.getByRole('button', { name: 'Take these changes' }).click();
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
    await page.getByText('References between them are followed.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Read it' }).click();
    await page.getByText('listShelves').first().waitFor();
    expect(trouble).toEqual([]);
    await close();
  });

  it('is exported again, for Handrail and for HandsAI', async () => {
    const { page, close } = await app.open(browser, '/apis/library?tab=source');
    for (const [format, name] of [
      ['Handrail format (everything but secrets)', 'library.handrail.json'],
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
    await page.getByRole('button', { name: 'Add a prompt' }).click();
    await page.getByLabel('Name', { exact: false }).first().fill('summary');
    await page.getByLabel('Text', { exact: true }).fill('Summarise {{city}}.');
    await page.getByRole('button', { name: 'Add from the text: city' }).click();
    await page.getByRole('button', { name: 'Add a resource' }).click();
    await page.getByLabel('Address (URI)').fill('docs://rules');
    await page.getByLabel('Name', { exact: false }).last().fill('Rules');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    expect((await app.gateway.admin('GET', '/servers/desk')).body).toMatchObject({
      prompts: [{ name: 'summary', text: 'Summarise {{city}}.', arguments: [{ name: 'city' }] }],
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
    await page.getByRole('button', { name: 'See what a dialect changes' }).click();
    await page
      .getByRole('dialog')
      .getByText(/tools are written differently/)
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

  it('are narrowed by tool and status, and exported', async () => {
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

  it('appear while someone looks', async () => {
    const { page, close } = await app.open(browser, '/calls?tool=get_weather');
    await page.getByText('Nothing found').waitFor();
    await app.gateway.admin('POST', '/tools/get_weather/call', { arguments: { city: 'Lima' } });
    await expect.poll(() => page.getByRole('link', { name: 'get_weather' }).count()).toBeGreaterThan(0);
    await close();
  });

  it('are drawn for one tool at a time', async () => {
    const { page, trouble, close } = await app.open(browser, '/analytics?range=1h');
    await page.getByRole('button', { name: 'weather_get', exact: true }).first().click();
    await page.getByRole('link', { name: 'Its calls' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(trouble).toEqual([]);
    await close();
  });
});
