import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, startAdminApp } from './support/admin-app.ts';

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

const paths = [
  '/',
  '/add',
  '/apis',
  '/apis/demo',
  '/apis/demo?tab=settings',
  '/apis/demo?tab=limits',
  '/apis/demo?tab=source',
  '/tools',
  '/tools/weather_get',
  '/tools/weather_get?tab=words',
  '/tools/weather_get?tab=parameters',
  '/tools/weather_get?tab=request',
  '/tools/weather_get?tab=reply',
  '/tools/weather_get?tab=schema',
  '/servers',
  '/servers/default',
  '/servers/default?tab=tools',
  '/servers/default?tab=settings',
  '/servers/default?tab=prompts',
  '/calls',
  '/calls/CALL',
  '/analytics',
  '/credentials',
  '/keys',
  '/admins',
  '/audit',
  '/settings',
  '/account',
  '/no-such-page',
];

const looks = [
  ['light on a desktop', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
  ['dark on a desktop', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
  ['light on a phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['dark on a phone', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
] as const;

describe.each(looks)('%s', (_name, look) => {
  it.each(paths)(
    '%s is sound: nothing axe finds, nothing refused, nothing wider than the screen',
    async (path) => {
      const { page, trouble, close } = await app.open(browser, path.replace('CALL', call), look);
      await page.locator('main h1, main p').first().waitFor();
      await expect
        .poll(() => page.getByRole('status', { name: 'Loading' }).count(), { timeout: 15_000 })
        .toBe(0);
      expect(await axeViolations(page)).toEqual([]);
      expect(trouble).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      await close();
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
