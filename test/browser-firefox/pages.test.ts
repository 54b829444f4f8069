import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paths } from '../browser/admin/support/paths.ts';
import { type AdminApp, startAdminApp } from '../browser/admin/support/admin-app.ts';
import { adminToken } from '../support/running-gateway.ts';
import { type FirefoxWindow, openFirefox } from './open-firefox.ts';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const findViolations = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join('; ')))`;
const isSettled = `document.querySelector('main h1, main p') !== null &&
  document.querySelector('[role="status"][aria-label="Loading"]') === null &&
  document.getAnimations().every((it) => !(it instanceof CSSTransition))`;

let app: AdminApp;
let call = '';

beforeAll(async () => {
  app = await startAdminApp();
  const made = await app.gateway.admin('POST', '/tools/weather_get/call', {
    arguments: { location: 'Berlin' },
  });
  call = made.body.callId;
  await app.gateway.admin('POST', '/tools/demo_failing/call', {});
  await app.gateway.admin('POST', '/keys', { name: 'A key' });
});
afterAll(() => app.stop());

describe.each(['light', 'dark'] as const)('in Firefox, %s', (colorScheme) => {
  let window: FirefoxWindow;
  beforeAll(async () => {
    window = await openFirefox(
      process.env['FIREFOX_PATH'] ?? 'firefox-esr',
      `sessionStorage.setItem('handrail.admin-token', ${JSON.stringify(adminToken)})`,
      colorScheme,
    );
    await window.resize(1440, 900);
    await window.goTo(`${app.gateway.url}/admin/`);
  });
  afterAll(() => window.close());

  it.each(paths)('%s has no axe findings, no console errors, and fits a phone', async (path) => {
    window.errors.length = 0;
    const to = JSON.stringify(`/admin${path.replace('CALL', call)}`);
    await window.evaluate(`void history.pushState(null, '', ${to})`);
    await expect.poll(() => window.evaluate(isSettled)).toBe(true);
    if (!(await window.evaluate('"axe" in window')))
      await window.evaluate(`void (0, eval)(${JSON.stringify(axe)})`);
    expect(await window.evaluate(findViolations)).toEqual([]);
    await window.resize(390, 844);
    await expect
      .poll(() => window.evaluate('document.documentElement.scrollWidth - innerWidth'))
      .toBeLessThanOrEqual(0);
    await window.resize(1440, 900);
    expect(window.errors).toEqual([]);
  });
});
