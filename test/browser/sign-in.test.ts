import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { totpCode } from '../../src/access/second-factors/totp.ts';
import { agree, PageReader } from '../support/sign-in/page-reader.ts';
import { RawApp } from '../support/sign-in/raw-app.ts';
import { ada, type SignInGateway, startSignInGateway } from '../support/sign-in/sign-in-gateway.ts';
import { settled } from './admin/support/admin-app.ts';
import { axeViolations, openPage, startBrowser } from './explorer/support/browser.ts';

// Pages of sign-in, consent, people and one's own, filled as they are in use, in both languages and every look.
const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
const looks = (['en-US', 'es-ES'] as const).flatMap((locale) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [desktop, phone].map((viewport) => ({
      name: `${locale} ${colorScheme} ${viewport.width}`,
      options: { locale, colorScheme, viewport },
    })),
  ),
);
const password = 'a long password for someone 7';

let browser: Browser;
let at: SignInGateway;
let team: string;
beforeAll(async () => {
  browser = await startBrowser();
  at = await startSignInGateway();
  team = `${at.url}/mcp/team`;
});
afterAll(async () => {
  await at.stop();
  await browser.close();
});

async function invite(name: string, more: object = {}): Promise<void> {
  const invited = await at.admin('POST', '/people', { name, role: 'none', ...more });
  const token = new URL(invited.body.invitationUrl).hash.slice(1);
  expect((await at.admin('POST', '/invitation/accept', { token, password })).status).toBe(201);
}

async function registered(uri?: string): Promise<RawApp> {
  const app = new RawApp(at.url, uri);
  await app.register({ client_name: 'Assistant of Ada' });
  return app;
}

/** Nothing is wrong with what the page shows now. */
async function isSound(page: Page, what: string): Promise<void> {
  expect(await axeViolations(page), what).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), what).toBeLessThanOrEqual(
    0,
  );
}

const press = (page: Page, action: string) =>
  page.locator(`button[name="action"][value="${action}"]`).click();

describe.each(looks)('sign-in for an app: $name', ({ name, options }) => {
  it('has sound pages from the first to the last', async () => {
    const person = `Person ${name}`;
    await at.admin('PATCH', '/settings', { secondFactor: 'everyone' });
    await invite(person);
    const { page, trouble, close } = await openPage(browser, options);
    const app = await registered();
    const enter = async (secret: string) => {
      await page.locator('input[name="name"]').fill(person);
      await page.locator('input[name="password"]').fill(secret);
      await press(page, 'sign-in');
    };
    await page.goto(app.authorizeUrl(team).href);
    await page.locator('input[name="password"]').waitFor();
    await isSound(page, 'sign-in');
    // A passkey belongs to a name, and this is an address.
    expect(await page.locator('#passkey').isVisible()).toBe(false);
    await enter('wrong');
    await page.getByRole('alert').waitFor();
    await isSound(page, 'wrong password');
    await enter(password);
    await page.locator('button[value="set-up"]').waitFor();
    await isSound(page, 'set-up');
    const secret = /\b[A-Z2-7]{32}\b/.exec((await page.content()).replaceAll(' ', ''))![0];
    await page.locator('input[name="code"]').fill(totpCode(secret, Date.now() - 30_000));
    await press(page, 'set-up');
    await page.locator('main li').first().waitFor();
    await isSound(page, 'recovery codes');
    await page.getByRole('link').click();
    await page.locator('button[value="allow"]').waitFor();
    await page.locator('summary').first().click();
    await isSound(page, 'consent');
    await press(page, 'switch');
    await page.locator('input[name="password"]').waitFor();
    await enter(password);
    await page.locator('input[name="code"]').waitFor();
    await isSound(page, 'second step');
    await page.goto(`${at.url}/oauth/consent`);
    await isSound(page, 'expired');
    await page.goto(
      (await registered('https://app.example.com/cb')).authorizeUrl(team, { prompt: 'none' }).href,
    );
    await page.getByRole('link').waitFor();
    await isSound(page, 'a link back to the app');
    expect(trouble).toEqual([]);
    await close();
    await at.admin('PATCH', '/settings', { secondFactor: null });
  });
});

describe('pages of people', () => {
  beforeAll(async () => {
    await invite('Grace', { email: 'grace@example.com' });
    await at.admin('POST', '/groups', { name: 'support', role: 'viewer' });
    await at.admin('POST', '/identity-providers', {
      name: 'Acme',
      slug: 'acme',
      issuer: 'https://id.example.com',
      clientId: 'gateway',
      clientSecret: 'secret',
    });
    await at.admin('POST', '/api-tokens', { name: 'dashboard', role: 'viewer', scopes: ['calls:read'] });
    await at.admin('PATCH', '/apis/shop', { ownAccounts: true });
    for (const someone of [ada, { name: 'Grace', password }])
      await agree(new PageReader(at.url), (await registered()).authorizeUrl(team), someone);
  });

  async function signedIn(name: string, secret: string, options: (typeof looks)[number]['options']) {
    const opened = await openPage(browser, options);
    const answer = await opened.page.request.post(`${at.url}/api/v1/session`, {
      data: { name, password: secret },
    });
    expect(answer.status(), await answer.text()).toBe(201);
    return opened;
  }

  it.each(looks)('are sound: $name', async ({ options }) => {
    const owner = await signedIn(ada.name, ada.password, options);
    for (const path of ['/me', '/people', '/connected-apps', '/audit', '/login']) {
      await owner.page.goto(`${at.url}/admin${path}`);
      await settled(owner.page);
      await isSound(owner.page, path);
    }
    expect(owner.trouble).toEqual([]);
    await owner.close();
    // Someone without a role has one page.
    const guest = await signedIn('Grace', password, options);
    await guest.page.goto(`${at.url}/me`);
    await settled(guest.page);
    await isSound(guest.page, 'the page of someone without a role');
    expect(guest.trouble).toEqual([]);
    await guest.close();
  });
});
