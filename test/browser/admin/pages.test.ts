import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, type OpenPage, settled, startAdminApp } from './support/admin-app.ts';
import { paths } from './support/paths.ts';

let browser: Browser;
let app: AdminApp;
let call = '';

beforeAll(async () => {
  browser = await startBrowser();
  app = await startAdminApp();
  const made = await app.gateway.admin('POST', '/tools/weather_get/call', {
    arguments: { location: 'Berlin' },
  });
  call = made.body.callId;
  await app.gateway.admin('POST', '/tools/demo_failing/call', {});
  await app.gateway.admin('POST', '/keys', { name: 'A key' });
});
afterAll(async () => {
  await app.stop();
  await browser.close();
});

const looks = [
  ['light on a desktop', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
  ['dark on a desktop', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
  ['light on a phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['dark on a phone', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
] as const;

// One window for all pages of a look, as a person has: opening one each would mostly test Chromium's start.
describe.each(looks)('%s', (_name, look) => {
  let opened: OpenPage;
  beforeAll(async () => {
    opened = await app.open(browser, '/', look);
  });
  afterAll(() => opened.close());

  it.each(paths)(
    '%s is sound: nothing axe finds, nothing refused, nothing wider than the screen',
    async (path) => {
      const { page, trouble, goTo } = opened;
      trouble.length = 0;
      await goTo(path.replace('CALL', call));
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
      expect(trouble).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    },
  );
});

describe('the door', () => {
  it.each(looks)('is sound, %s', async (_name, look) => {
    const context = await browser.newContext(look);
    const page = await context.newPage();
    await page.goto(`${app.gateway.url}/admin/`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await context.close();
  });
});

describe('Spanish', () => {
  it('is spoken when the browser asks for it', async () => {
    const { page, close } = await app.open(browser, '/', { locale: 'es-ES' });
    await page.getByRole('heading', { name: 'Inicio' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('es');
    await close();
  });
});
