import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, settled, startAdminApp } from './support/admin-app.ts';

let browser: Browser;
let app: AdminApp;

const documentOf = (names: readonly string[]) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shelf', version: '1' },
    servers: [{ url: 'https://{tenant}.shelf.example', variables: { tenant: { default: 'demo' } } }],
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
    security: [{ key: [] }, { token: [] }],
    paths: Object.fromEntries(
      names.map((name) => [
        `/${name}`,
        {
          post: {
            operationId: name,
            parameters: [{ name: 'api-version', in: 'query', required: true, schema: { type: 'string' } }],
            ...(name === 'upload' && { servers: [{ url: 'https://files.shelf.example' }] }),
            responses: { 200: { description: 'ok' } },
          },
        },
      ]),
    ),
  });

beforeAll(async () => {
  browser = await startBrowser();
  app = await startAdminApp();
  const put = async (names: readonly string[]) => {
    const { status, body } = await app.gateway.admin('POST', '/imports', {
      text: documentOf(names),
      api: 'shelf',
      approveChanges: true,
    });
    expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
  };
  await put(['upload', 'lend', 'buy']);
  await put(['upload', 'lend', 'sell', 'burn']);
});
afterAll(async () => {
  await app.stop();
  await browser.close();
});

it('an API’s page shows pending changes, removed tools and where secrets are sent, and takes decisions', async () => {
  const { page, trouble, close } = await app.open(browser, '/apis/shelf?tab=source');
  const panel = (title: string) =>
    page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) });
  await panel('Pending approval').waitFor();
  await panel('Removed tools').getByText('buy', { exact: true }).waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  const line = (name: string) => panel('Pending approval').getByRole('listitem').filter({ hasText: name });
  await line('burn').getByRole('button', { name: 'Decline' }).click();
  await line('burn').waitFor({ state: 'detached' });
  await line('sell').getByRole('button', { name: 'Approve' }).click();
  await panel('Pending approval').waitFor({ state: 'detached' });
  await panel('Other servers in the document').getByRole('button', { name: 'Allow secrets' }).click();
  await panel('Other servers in the document').getByText('Secrets allowed', { exact: true }).waitFor();
  await panel('Removed tools').getByRole('button', { name: 'Delete' }).click();
  await panel('Removed tools').waitFor({ state: 'detached' });

  const { body } = await app.gateway.admin('GET', '/tools?api=shelf');
  const states = body.items.map(({ name, enabled }: { name: string; enabled: boolean }) => [name, enabled]);
  expect(Object.fromEntries(states)).toEqual({ upload: true, lend: true, sell: true, burn: false });
  expect(trouble).toEqual([]);
  await close();
});

it('the plan of an import asks what the document leaves open, and follows the answers', async () => {
  const { page, trouble, close } = await app.open(browser, '/add');
  await page
    .locator('textarea')
    .first()
    .fill(documentOf(['upload', 'lend', 'buy', 'sell']).replace('Shelf', 'Rack'));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Details the document leaves open' }).waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByLabel('URL variable: tenant').fill('acme');
  await page.getByLabel('api-version').fill('2024-01');
  await page.getByLabel('https://files.shelf.example').check();
  await page.getByRole('button', { name: 'Add 4 tools' }).click();
  await page.getByRole('heading', { name: 'Credential' }).waitFor();

  const { body } = await app.gateway.admin('GET', '/apis/rack');
  expect(body).toMatchObject({
    baseUrl: 'https://acme.shelf.example',
    origins: [{ origin: 'https://files.shelf.example', tools: 1, agreed: true }],
    source: { rules: { fix: { 'api-version': '2024-01' } } },
  });
  expect(trouble).toEqual([]);
  await close();
});
