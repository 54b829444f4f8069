import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, startAdminApp } from './support/admin-app.ts';
import { petshop } from './support/petshop.ts';

describe('an editor', () => {
  let browser: Browser;
  let app: AdminApp;

  beforeAll(async () => {
    browser = await startBrowser();
    app = await startAdminApp();
    const imported = await app.gateway.admin('POST', '/imports', {
      text: petshop(app.upstream.origin),
      api: 'pets',
      approveChanges: true,
    });
    expect(imported.body.imports[0]).toMatchObject({ api: 'pets', applied: true });
  });
  afterAll(async () => {
    await app.stop();
    await browser.close();
  });

  it('adds a tool manually, sees its request while typing, and tries it before saving', async () => {
    const { page, trouble, close } = await app.open(browser, '/apis/pets');
    await page.getByRole('link', { name: 'Add tool' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('no spaces please');
    await page.getByLabel('Description').fill('Shows one toy of a pet.');
    await page.getByLabel('Path').fill('/pets/{petId}/toys/{toy}');
    await page.getByLabel('petId').fill('p 1');
    await page.getByLabel('toy').fill('ball');
    await page
      .getByRole('region', { name: 'Request preview' })
      .getByText('/v1/pets/p%201/toys/ball')
      .waitFor();
    await page.getByText('Use only letters, digits, _ and -.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('listPets');
    await page.getByRole('button', { name: 'Add tool' }).click();
    // The gateway's message appears next to the field it is about.
    await page.getByText('is taken').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('show_toy');
    await page.getByRole('button', { name: 'Call tool' }).click();
    await page.getByText(/^OK/).first().waitFor();
    expect(app.upstream.seen.at(-1)?.target).toBe('/v1/pets/p%201/toys/ball');
    expect((await app.gateway.admin('GET', '/tool-index?api=pets')).body.items).toHaveLength(4);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add tool' }).click();
    await page.getByRole('heading', { name: 'show_toy' }).waitFor();
    expect((await app.gateway.admin('GET', '/tools/show_toy')).body.inputSchema.required).toEqual([
      'petId',
      'toy',
    ]);
    expect(trouble).toEqual([]);
    await close();
  });

  it('creates a key for selected tools, edits it, rotates it and revokes it', async () => {
    const { page, trouble, close } = await app.open(browser, '/keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Robot');
    await dialog.getByText('Selected tools', { exact: true }).click();
    await dialog.getByRole('searchbox').fill('weather_get');
    await dialog.getByLabel('Select weather_get').check();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Copy it now. You won’t see it again.').waitFor();
    const shown = await dialog.getByRole('region', { name: 'Access key' }).innerText();
    expect(shown).toMatch(/^hrk_/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const [key] = (await app.gateway.admin('GET', '/keys')).body.items;
    expect(key.tools).toHaveLength(1);

    await page.getByRole('button', { name: 'More actions for Robot' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Robot at night');
    await dialog.getByText('All tools', { exact: true }).click();
    await dialog.getByLabel('Calls per minute').fill('30');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Robot at night').waitFor();
    const edited = (await app.gateway.admin('GET', `/keys/${key.id}`)).body;
    expect(edited).toMatchObject({ name: 'Robot at night', ratePerMinute: 30 });
    expect(edited).not.toHaveProperty('tools');

    await page.getByRole('button', { name: 'More actions for Robot at night' }).click();
    await page.getByRole('menuitem', { name: 'Rotate' }).click();
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    await dialog.getByText(/The old key is valid until/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Expires soon').waitFor();

    await page.getByRole('button', { name: 'More actions for Robot at night' }).first().click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked', { exact: true }).waitFor();
    expect(trouble).toEqual([]);
    await close();
  });

  it('sees what a pending change would do, and approves it', async () => {
    const changed = petshop(app.upstream.origin).replace('List pets', 'List the pets of the shop');
    await app.gateway.admin('POST', '/imports', { text: changed, api: 'pets', approveChanges: true });
    const { page, trouble, close } = await app.open(browser, '/tools/listPets');
    await page.getByRole('heading', { name: 'The API’s document changed' }).waitFor();
    await page.locator('del', { hasText: 'List pets' }).first().waitFor();
    await page.locator('ins', { hasText: 'List the pets of the shop' }).first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'The API’s document changed' }).waitFor({ state: 'hidden' });
    expect((await app.gateway.admin('GET', '/tools/listPets')).body).toMatchObject({
      description: expect.stringContaining('List the pets of the shop'),
      pendingChange: false,
    });
    expect(trouble).toEqual([]);
    await close();
  });

  it('adds headers to an API and removes one', async () => {
    const { page, trouble, close } = await app.open(browser, '/apis/pets?tab=settings');
    for (const [at, [name, value]] of [
      ['X-Shop', 'one'],
      ['X-Till', '7'],
    ].entries()) {
      await page
        .locator('section', { hasText: 'Sent with every' })
        .getByRole('button', { name: 'Add', exact: true })
        .click();
      await page.getByRole('textbox', { name: 'Header', exact: true }).nth(at).fill(name!);
      await page.getByRole('textbox', { name: 'Value', exact: true }).nth(at).fill(value!);
    }
    await page.getByRole('button', { name: 'Remove', exact: true }).first().click();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    expect((await app.gateway.admin('GET', '/apis/pets')).body.headers).toEqual({ 'X-Till': '7' });
    expect(trouble).toEqual([]);
    await close();
  });

  it('sets which scope allows which tools', async () => {
    await app.gateway.admin('POST', '/servers', { slug: 'scoped', tools: [{ api: 'pets' }] });
    const { page, trouble, close } = await app.open(browser, '/servers/scoped?tab=settings');
    await page.getByRole('combobox', { name: 'Access' }).click();
    await page.getByRole('option', { name: 'OAuth 2.1' }).click();
    await page.getByRole('textbox', { name: 'Issuer' }).fill('https://sign-in.example.com');
    await page.getByRole('button', { name: 'Add scope' }).click();
    await page.getByRole('textbox', { name: 'Scope', exact: true }).fill('pets:read');
    await page.getByRole('combobox', { name: 'Tools allowed by pets:read' }).fill('listPets');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await page.getByRole('option', { name: 'listPets' }).waitFor({ state: 'hidden' });
    expect(await axeViolations(page)).toEqual([]);
    const { policy } = (await app.gateway.admin('GET', '/servers/scoped')).body;
    expect(Object.keys(policy.toolScopes)).toEqual(['pets:read']);
    expect(policy.toolScopes['pets:read']).toHaveLength(1);
    expect(trouble).toEqual([]);
    await close();
  });

  it('tests a secret before it is stored', async () => {
    await app.gateway.admin('POST', '/apis', {
      slug: 'guarded',
      name: 'Guarded',
      baseUrl: app.upstream.origin,
      auth: { kind: 'bearer' },
    });
    const { page, trouble, close } = await app.open(browser, '/credentials');
    await page.getByRole('button', { name: 'Add credential' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Token', { exact: false }).first().fill('a-secret');
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    await dialog.getByText(/answered 200: it works/).waitFor();
    expect((await app.gateway.admin('GET', '/credentials')).body.items).toEqual([]);
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await app.gateway.admin('GET', '/credentials')).body.items).toHaveLength(1);
    expect(trouble).toEqual([]);
    await close();
  });
});
