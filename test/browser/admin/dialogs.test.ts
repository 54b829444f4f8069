import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, settled, startAdminApp } from './support/admin-app.ts';

const phone = { width: 390, height: 844 };

describe('what floats above a page', () => {
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

  it.each([
    ['light on a desktop', 'light', undefined],
    ['dark on a phone', 'dark', phone],
  ] as const)('is a confirmation that asks first, %s', async (_look, colorScheme, viewport) => {
    const { body: key } = await app.gateway.admin('POST', '/keys', { name: `Robot ${colorScheme}` });
    const { page, trouble, close } = await app.open(browser, '/keys', {
      colorScheme,
      ...(viewport && { viewport }),
    });
    const asked = page.getByRole('dialog', { name: `Revoke Robot ${colorScheme}?` });
    const ask = async () => {
      await page.getByRole('button', { name: `More actions for Robot ${colorScheme}` }).click();
      await page.getByRole('menuitem', { name: 'Revoke' }).click();
      await asked.waitFor();
    };
    const isRevoked = async () =>
      (await app.gateway.admin('GET', `/keys/${key.id}`)).body.revokedAt !== undefined;

    await ask();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => asked.getByRole('button', { name: 'Cancel' }).click(),
      () => asked.getByRole('button', { name: 'Close' }).click(),
    ]) {
      if (!(await asked.isVisible())) await ask();
      await leave();
      await asked.waitFor({ state: 'hidden' });
      expect(await isRevoked()).toBe(false);
    }

    await ask();
    // The confirm button has focus, so Enter is enough.
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Key revoked').waitFor();
    expect(await isRevoked()).toBe(true);
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    expect(trouble).toEqual([]);
    await close();
  });

  it('is a toast with the gateway’s message when something is rejected', async () => {
    const { page, close } = await app.open(browser, '/apis/demo?tab=settings');
    await page.route('**/api/v1/apis/*', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({
            status: 503,
            contentType: 'application/problem+json',
            body: JSON.stringify({ status: 503, detail: 'The disk is full.', code: 'unavailable' }),
          })
        : route.continue(),
    );
    await page.getByRole('textbox', { name: 'Name' }).first().fill('Another name');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('The disk is full.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    await close();
  });

  it('is a palette without violations that goes anywhere', async () => {
    const { page, trouble, close } = await app.open(browser, '/');
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('weather_get');
    await page.getByRole('option', { name: 'weather_get demo' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('weather_get');
    await page.getByRole('option', { name: 'weather_get demo' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'weather_get' }).waitFor();
    expect(trouble).toEqual([]);
    await close();
  });
});
