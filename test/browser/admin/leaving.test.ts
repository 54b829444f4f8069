import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, openPage, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, settled, startAdminApp } from './support/admin-app.ts';
import { petshop } from './support/petshop.ts';

let browser: Browser;
let app: AdminApp;

beforeAll(async () => {
  browser = await startBrowser();
  app = await startAdminApp();
});
afterAll(async () => {
  await app.stop();
  await browser.close();
});

describe('a page with unsaved changes', () => {
  let changed: string;
  let edits = 0;

  async function openEdited() {
    // Another text each time: one of the tests saves it.
    changed = `Says what the weather is like, part ${++edits}.`;
    const opened = await app.open(browser, '/tools');
    await opened.follow('/tools/weather_get?tab=description');
    const description = opened.page.getByRole('textbox', { name: 'Description' });
    await description.fill(changed);
    await opened.page.getByRole('region', { name: 'Unsaved changes' }).waitFor();
    return { ...opened, description };
  }

  it('asks before following a link, and keeps everything on cancel', async () => {
    const { page, description, trouble, close } = await openEdited();
    await page.getByRole('link', { name: 'Servers' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Leave without saving?').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await description.inputValue()).toBe(changed);
    await page.getByRole('link', { name: 'Servers' }).first().click();
    await dialog.getByRole('button', { name: 'Discard changes and leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();
    expect(trouble).toEqual([]);
    await close();
  });

  it('asks before going back', async () => {
    const { page, description, trouble, close } = await openEdited();
    await page.goBack();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/admin/tools/weather_get');
    expect(await description.inputValue()).toBe(changed);
    await page.goBack();
    await dialog.getByRole('button', { name: 'Discard changes and leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    expect(trouble).toEqual([]);
    await close();
  });

  it('keeps everything when the session ends, and asks to sign in again over the page', async () => {
    const name = 'Ada';
    const password = 'violet-kettle-orbit-71';
    const { body } = await app.gateway.admin('POST', '/people', { name, role: 'owner' });
    const token = new URL(body.invitationUrl).hash.slice(1);
    const accepted = await fetch(`${app.gateway.url}/api/v1/invitation/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password }),
    });
    expect(await accepted.json()).toMatchObject({ name });
    const opened = await openPage(browser);
    await opened.page.goto(`${app.gateway.url}/admin/tools/weather_get?tab=description`);
    const signIn = async (form: Locator) => {
      await form.getByLabel('Name').fill(name);
      await form.getByLabel('Password').fill(password);
      await form.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    await signIn(opened.page.getByRole('main'));
    const description = opened.page.getByRole('textbox', { name: 'Description' });
    await description.fill(changed);
    await opened.page.context().clearCookies();
    await opened.page.getByRole('button', { name: 'Save' }).click();
    const dialog = opened.page.getByRole('dialog', { name: 'Your session ended' });
    await dialog.waitFor();
    await settled(opened.page);
    expect(await axeViolations(opened.page)).toEqual([]);
    expect(await opened.page.getByText('admin token').count()).toBe(0);
    await signIn(dialog);
    await dialog.waitFor({ state: 'hidden' });
    expect(await description.inputValue()).toBe(changed);
    await opened.page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await app.gateway.admin('GET', '/tools/weather_get')).body.description)
      .toBe(changed);
    expect(opened.trouble).toEqual([]);
    await opened.close();
  });

  it('asks nothing when another tab of the same page is opened', async () => {
    const { page, trouble, close } = await openEdited();
    await page.getByRole('tab', { name: 'Limits' }).click();
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(trouble).toEqual([]);
    await close();
  });
});

describe('adding an API', () => {
  it('goes back to the source by Back and forward to the same plan by Forward', async () => {
    const { page, trouble, close } = await app.open(browser, '/');
    await page.getByRole('link', { name: 'Add API' }).first().click();
    await page
      .getByRole('textbox', { name: /openapi\.json/ })
      .first()
      .fill(petshop(app.upstream.origin));
    const plans: string[] = [];
    page.on('request', (sent) => sent.method() === 'POST' && plans.push(sent.url()));
    await page.getByRole('button', { name: 'Continue' }).click();
    const apply = page.getByRole('button', { name: 'Add 4 tools' });
    await apply.waitFor();
    expect(plans).toHaveLength(1);
    await page.goBack();
    await apply.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/admin/add');
    await page.goForward();
    await apply.waitFor();
    expect(plans).toHaveLength(1);
    expect(trouble).toEqual([]);
    await close();
  });
});

describe('a gateway that goes offline', () => {
  it('is reported, and the page recovers with it', async () => {
    const { page, close } = await app.open(browser, '/');
    await settled(page);
    await page.context().setOffline(true);
    const banner = page.getByRole('alert').filter({ hasText: 'Can’t reach the gateway' });
    await banner.waitFor();
    await page.getByTitle('Showing the last known data').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Credentials' }).first().click();
    await page.context().setOffline(false);
    await banner.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { level: 1, name: 'Credentials' }).waitFor();
    await close();
  });

  it('and returns with other files reloads the app at the requested page', async () => {
    const { page, close } = await app.open(browser, '/');
    await settled(page);
    // An upgrade as the page sees it: the old files are gone and the HTML names new ones.
    await page.route('**/admin/assets/Audit-*.js', (route) => route.fulfill({ status: 404 }));
    await page.route('**/admin/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script src="/admin/assets/other.js"></script>' }),
    );
    const reloaded = page.waitForEvent('domcontentloaded');
    await page.getByRole('link', { name: 'Audit log' }).first().click();
    await reloaded;
    expect(new URL(page.url()).pathname).toBe('/admin/audit');
    await page.unrouteAll();
    await close();
  });
});
