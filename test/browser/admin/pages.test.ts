import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, type OpenPage, settled, startAdminApp } from './support/admin-app.ts';
import { paths } from './support/paths.ts';

let browser: Browser;
let app: AdminApp;
let call = '';
let window: OpenPage | undefined;

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

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
// Dark mode changes only colors.
const looks = [
  ['light on a desktop', { colorScheme: 'light', viewport: desktop }, undefined],
  ['dark on a desktop', { colorScheme: 'dark', viewport: desktop }, ['color-contrast']],
  ['dark on a phone', { colorScheme: 'dark', viewport: phone }, ['color-contrast']],
  ['light on a phone', { colorScheme: 'light', viewport: phone }, undefined],
] as const;

/** Applies a color scheme and waits until the app has picked it up. */
async function dress(page: Page, { colorScheme, viewport }: (typeof looks)[number][1]): Promise<void> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
}

/** A window that also counts what the console calls an error. */
async function openWindow(): Promise<OpenPage> {
  const made = await app.open(browser, '/');
  made.page.on('console', (message) => {
    if (message.type() === 'error') made.trouble.push(`console: ${message.text()}`);
  });
  return made;
}

// One window for all pages, as a person would have. Opening one per page would mostly test Chromium's startup.
describe.each(paths)('%s', (path) => {
  let opened: OpenPage;
  beforeAll(async () => {
    opened = window ??= await openWindow();
    opened.trouble.length = 0;
    await opened.follow(path.replace('CALL', call));
  });

  it.each(looks)(
    '%s: no axe findings, no policy violations, nothing wider than the screen',
    async (_name, { colorScheme, viewport }, rules) => {
      const { page, trouble } = opened;
      await dress(page, { colorScheme, viewport });
      await settled(page);
      expect(await axeViolations(page, rules)).toEqual([]);
      expect(trouble).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    },
  );
});

describe('the first page', () => {
  // 243 kB when this was written, and a tenth more.
  it('takes at most 267 kB of JavaScript over the wire', async () => {
    const { page, close } = await app.open(browser, '/');
    await settled(page);
    const bytes = await page.evaluate(
      `performance.getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(267_000);
    await close();
  });

  // These are requested before the app has loaded. A request the page then doesn't use was wasted.
  it('requests early what it reads, and nothing else', async () => {
    const { page, goTo, close } = await app.open(browser, '/me');
    for (const path of paths.filter((entry) => !entry.includes('?'))) {
      await goTo(path.replace('CALL', call));
      await settled(page);
      const unread = await page.evaluate('[...window.handrailEarlyResponses.keys()]');
      expect({ path, unread }).toEqual({ path, unread: [] });
    }
    await close();
  });
});

describe('the sign-in page', () => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.newPage();
    await page.goto(`${app.gateway.url}/admin/`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });

  it.each(looks)('has no violations, %s', async (_name, { colorScheme, viewport }, rules) => {
    await dress(page, { colorScheme, viewport });
    await settled(page);
    expect(await axeViolations(page, rules)).toEqual([]);
  });
});

describe('Spanish', () => {
  it('is used if the browser prefers it', async () => {
    const { page, close } = await app.open(browser, '/', { locale: 'es-ES' });
    await page.getByRole('heading', { name: 'Inicio' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('es');
    await close();
  });
});
