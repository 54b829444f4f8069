import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, openPage, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, settled, startAdminApp } from './support/admin-app.ts';
import { paths } from './support/paths.ts';

describe('a viewer', () => {
  let browser: Browser;
  let app: AdminApp;
  let page: Page;
  let call = '';
  const refused: string[] = [];

  beforeAll(async () => {
    browser = await startBrowser();
    app = await startAdminApp();
    call = (await app.gateway.admin('POST', '/tools/weather_get/call', { arguments: { location: 'Berlin' } }))
      .body.callId;
    await app.gateway.admin('POST', '/keys', { name: 'A key' });
    const { body } = await app.gateway.admin('POST', '/people', { name: 'Vera', role: 'viewer' });
    ({ page } = await openPage(browser));
    page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(`${answer.request().method()} ${answer.url()}`);
    });
    await page.goto(body.invitationUrl);
    await page.getByLabel('New password', { exact: true }).fill('looks at it all and touches nothing');
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });
  afterAll(async () => {
    await app.stop();
    await browser.close();
  });

  // Clicking everything on the account page signs out.
  it.each(paths.filter((path) => path !== '/me'))(
    'finds nothing on %s that the gateway would reject',
    async (path) => {
      refused.length = 0;
      await page.goto(`${app.gateway.url}/admin${path.replace('CALL', call)}`);
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
      for (const field of await page
        .locator('main :is(input:not([type]), input[type=text], textarea):enabled:not([readonly]):visible')
        .all())
        await field.fill('1');
      for (const control of await page
        .locator('main :is(button, input[role=switch], input[type=checkbox]):enabled:visible')
        .all()) {
        await control.click({ timeout: 500, force: true }).catch(() => undefined);
        await page.keyboard.press('Escape');
      }
      // Every request of the controls has been sent by now.
      await page.evaluate("fetch('/api/v1/session').then((answer) => answer.text())");
      expect(refused).toEqual([]);
      expect(await page.getByRole('region', { name: 'Unsaved changes' }).count()).toBe(0);
    },
  );

  it('sees what role a page requires', async () => {
    await page.goto(`${app.gateway.url}/admin/apis/demo?tab=settings`);
    await page.getByText('View only').hover();
    await page.getByText('Requires the Editor role. Yours is Viewer').waitFor();
    expect(await page.getByLabel('Base URL').isDisabled()).toBe(true);
    expect(await page.getByRole('link', { name: 'Add API' }).count()).toBe(0);
  });
});
