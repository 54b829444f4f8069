import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, planImport, settled, startAdminApp } from './support/admin-app.ts';
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

const serverOf = async (slug: string) => (await app.gateway.admin('GET', `/servers/${slug}`)).body;

describe('the tools of a server', () => {
  it('are selected in a tree, which drops deselected tools and keeps the rest', async () => {
    await app.gateway.admin('POST', '/servers', { slug: 'desk', name: 'Desk', tools: [{ api: 'shop' }] });
    const { page, trouble, close } = await app.open(browser, '/servers/desk?tab=tools');
    await page.getByText('4 of 4 · includes future tools').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'Select all of orders' }).click();
    await page.locator('input:indeterminate').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await serverOf('desk')).tools).toEqual([{ api: 'shop', tag: 'pets' }]);

    await page.getByLabel('Tool type').selectOption('read');
    await page.getByRole('button', { name: /^Deselect all \d+ shown$|^Select all \d+ shown$/ }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await serverOf('desk')).toolCount).toBeGreaterThan(4);
    expect(trouble).toEqual([]);
    await close();
  });

  it('are added from the list of tools', async () => {
    await app.gateway.admin('POST', '/servers', { slug: 'till', name: 'Till', tools: [] });
    const { page, trouble, close } = await app.open(browser, '/tools');
    await page.getByRole('checkbox', { name: 'Select listOrders' }).click();
    await page.getByRole('button', { name: 'Add to server' }).click();
    await page.getByRole('menuitem', { name: 'Till' }).click();
    await page.getByText('1 tool added to Till').waitFor();
    expect((await serverOf('till')).toolCount).toBe(1);

    await page.getByRole('checkbox', { name: 'Select listOrders' }).click();
    await page.getByRole('button', { name: 'Add to server' }).click();
    await page.getByRole('menuitem', { name: 'New server…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Orders');
    await page.getByRole('button', { name: 'Publish 1 tool' }).click();
    await page.getByText('Waiting for the first call').waitFor();
    expect(await serverOf('orders')).toMatchObject({ toolCount: 1, policy: { kind: 'key' } });
    expect(trouble).toEqual([]);
    await close();
  });

  it('with the same name can be told apart when a URL is ambiguous', async () => {
    await app.gateway.admin('POST', '/imports', { text: petshop(app.upstream.origin), api: 'zoo' });
    const { page, trouble, close } = await app.open(browser, '/tools/getPet');
    await page.getByRole('heading', { name: 'Several tools are named getPet' }).waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Rename to zoo_getPet' }).click();
    await page.getByRole('heading', { name: 'getPet', exact: true }).waitFor();
    expect((await app.gateway.admin('GET', '/tools/zoo_getPet')).body.api).toBe('zoo');
    expect(trouble).toEqual([]);
    await close();
  });
});

describe('the form for arguments', () => {
  it('takes objects, lists and alternatives, and keeps the focus while typing', async () => {
    const schema = {
      type: 'object',
      required: ['owner', 'tags', 'how'],
      properties: {
        owner: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        tags: { type: 'array', items: { type: 'string' } },
        how: {
          oneOf: [
            {
              title: 'By card',
              type: 'object',
              required: ['card'],
              properties: { card: { type: 'string' } },
            },
            {
              title: 'In cash',
              type: 'object',
              required: ['coins'],
              properties: { coins: { type: 'integer' } },
            },
          ],
        },
      },
    };
    const post = {
      operationId: 'bookTable',
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { 200: { description: 'ok' } },
    };
    await app.gateway.admin('POST', '/imports', {
      text: JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Tables', version: '1' },
        servers: [{ url: app.upstream.origin }],
        paths: { '/tables': { post } },
      }),
    });
    const { page, trouble, close } = await app.open(browser, '/tools/bookTable');
    await page.getByLabel('name', { exact: true }).pressSequentially('Ada');
    await page.getByRole('button', { name: 'Add item' }).click();
    await page.keyboard.type('window');
    await page.getByRole('combobox', { name: 'how' }).selectOption('In cash');
    await page.getByLabel('coins', { exact: true }).fill('3');
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Call tool' }).click();
    await page.getByText(/^OK/).first().waitFor();
    expect(JSON.parse(app.upstream.seen.at(-1)!.body.toString())).toEqual({
      owner: { name: 'Ada' },
      tags: ['window'],
      how: { coins: 3 },
    });
    expect(trouble).toEqual([]);
    await close();
  });
});

describe('what prevents a call', () => {
  it('is a missing secret that can be added there', async () => {
    const text = petshop(app.upstream.origin, { wantsKey: true });
    await app.gateway.admin('POST', '/imports', { text, api: 'closed' });
    const tools = (await app.gateway.admin('GET', '/tool-index?api=closed')).body.items;
    const { id } = tools.find(({ name }: { name: string }) => name === 'listPets');
    const { page, trouble, close } = await app.open(browser, `/tools/${id}`);
    await page.getByRole('button', { name: 'Call tool' }).click();
    await page
      .getByText('needs a credential, but no credential is stored.', { exact: false })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Add credential' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('X-Shop-Key').fill('pets-only-for-friends');
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Call tool' }).click();
    await page.getByText(/^OK/).first().waitFor();
    expect(trouble).toEqual([]);
    await close();
  });

  it('is a blocked address that can be allowed there, without a shell', async () => {
    const text = petshop('http://127.0.0.1:9');
    await app.gateway.admin('POST', '/imports', { text, api: 'near' });
    const [{ id }] = (await app.gateway.admin('GET', '/tool-index?api=near')).body.items;
    const { page, trouble, close } = await app.open(browser, `/tools/${id}`);
    await page.getByRole('button', { name: 'Call tool' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Handrail may not connect there' });
    expect(await alert.innerText()).not.toMatch(/HANDRAIL_|operator/);
    await alert.getByRole('button', { name: 'Allow 127.0.0.1:9' }).click();
    await page.getByText('127.0.0.1:9 is now allowed. Trying again…').waitFor();
    // The call is repeated, and now fails because nothing listens there.
    await expect.poll(() => alert.count()).toBe(0);
    const { egressAllow } = (await app.gateway.admin('GET', '/settings')).body;
    expect(egressAllow.filter((entry: string) => entry === '127.0.0.1:9')).toHaveLength(1);
    expect(trouble).toEqual([]);
    await close();
  });

  it('is a private base URL that the plan already says, and that can be allowed there', async () => {
    const { page, trouble, close } = await app.open(browser, '/add');
    await planImport(page, petshop('http://127.0.0.1:7'));
    const note = page.getByRole('alert').filter({ hasText: 'is in a private network' });
    await note.getByRole('button', { name: 'Allow 127.0.0.1:7' }).click();
    await expect.poll(() => note.count()).toBe(0);
    expect((await app.gateway.admin('GET', '/settings')).body.egressAllow).toContain('127.0.0.1:7');
    expect(trouble).toEqual([]);
    await close();
  });

  it('does not hide how many tools were published', async () => {
    const { page, trouble, close } = await app.open(browser, '/add');
    await planImport(page, petshop(app.upstream.origin).replace('Pet shop', 'Counted shop'));
    await page.getByRole('button', { name: 'Add 4 tools' }).click();
    await page.getByRole('button', { name: 'No authentication' }).click();
    await page.getByRole('checkbox', { name: 'Select all of orders', checked: true }).click();
    await page.getByRole('button', { name: 'Publish 3 tools' }).click();
    await page.getByText('serves 3 tools.').waitFor();
    expect(trouble).toEqual([]);
    await close();
  });
});
