import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, openPage, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, settled, startAdminApp } from './support/admin-app.ts';
import { petshop } from './support/petshop.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const secret = 'pets-only-for-friends';

// One API requires a secret. The other declares no authentication, so the app asks whether it needs any.
const walks = [
  ['a desktop', { width: 1440, height: 900 }, (origin: string) => petshop(origin, { wantsKey: true })],
  ['a phone', { width: 390, height: 844 }, (origin: string) => petshop(origin)],
] as const;

describe.each(walks)(
  'from first start to the first call of a client, on %s',
  (name, viewport, documentOf) => {
    let app: AdminApp;

    beforeAll(async () => {
      app = await startAdminApp();
    });
    afterAll(() => app.stop());

    it('takes at most ten clicks, and nothing fails on the way', async () => {
      const setup = await app.gateway.gateway.signIn.makeSetupToken();
      const { page, trouble, close } = await openPage(browser, { viewport });
      page.on('console', (message) => {
        if (message.type() === 'error') trouble.push(`console: ${message.text()}`);
      });
      page.on('response', (answer) => {
        if (answer.status() >= 400) trouble.push(`${answer.status()} ${answer.url()}`);
      });
      let clicks = 0;
      const click = async (target: Locator) => {
        clicks += 1;
        await target.click();
      };

      await page.goto(`${app.gateway.url}/admin/setup#${setup}`);
      await click(page.getByLabel('Name'));
      await page.getByLabel('Name').fill('Ada');
      await page.getByLabel('New password', { exact: true }).fill('a calm handrail on the stairs');
      await click(page.getByRole('button', { name: 'Create admin account' }));

      await click(page.getByRole('link', { name: 'Add API' }).locator('visible=true').first());
      await page.getByRole('textbox', { name: /openapi\.json/ }).fill(documentOf(app.upstream.origin));
      await click(page.getByRole('button', { name: 'Continue' }));
      await page.getByLabel('Name').fill('Corner shop');
      await click(page.getByRole('button', { name: 'Add 4 tools' }));
      if (name === 'a phone') await click(page.getByRole('button', { name: 'No authentication' }));
      else {
        await page.getByLabel('X-Shop-Key').fill(secret);
        await click(page.getByRole('button', { name: 'Test and save' }));
      }

      await click(page.getByRole('switch', { name: 'Read-only' }));
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
      await click(page.getByRole('button', { name: 'Publish 3 tools' }));

      await page.getByRole('status').getByText('Waiting for the first call').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      const { body: server } = await app.gateway.admin('GET', '/servers/corner-shop');
      expect(server).toMatchObject({ name: 'Corner shop', policy: { kind: 'key' }, toolCount: 3 });
      const shown = await page.locator('main').innerText();
      const key = /hrk_[\w-]+/.exec(shown)![0];
      expect(shown).toContain(server.url);
      await callListPets(server.url, key);
      await page.getByRole('status').getByText('First call received').waitFor();
      await page.getByText(/^walker called listPets at/).waitFor();

      const seen = app.upstream.seen.at(-1)!;
      expect(seen.target).toBe('/v1/pets');
      expect(seen.headers['x-shop-key']).toBe(name === 'a phone' ? undefined : secret);
      expect(clicks).toBeLessThanOrEqual(10);
      expect(trouble).toEqual([]);
      await close();
    });

    it('shows the call in full detail, and repeats it', async () => {
      const { page, trouble, close } = await app.open(browser, '/calls', { viewport });
      await page.getByRole('link', { name: 'listPets' }).first().click();
      await page.getByRole('heading', { name: 'Timing' }).waitFor();
      await page.getByRole('link', { name: 'Open in Try it' }).click();
      await page.getByRole('button', { name: 'Call tool' }).click();
      await page.getByText(/^OK/).first().waitFor();
      expect(trouble).toEqual([]);
      await close();
    });
  },
);

/** Calls a tool the way a client with the URL and the key does. */
async function callListPets(url: string, key: string): Promise<void> {
  let session: string | null = null;
  const post = async (method: string, params: object, id?: number) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
        ...(session !== null && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', method, params, ...(id !== undefined && { id }) }),
    });
    session ??= answer.headers.get('mcp-session-id');
    return answer.text();
  };
  const clientInfo = { name: 'walker', version: '1' };
  await post('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }, 1);
  await post('notifications/initialized', {});
  const reply = await post('tools/call', { name: 'listPets', arguments: {} }, 2);
  expect(reply).toContain('/v1/pets');
}

describe('two admins', () => {
  let app: AdminApp;

  beforeAll(async () => {
    app = await startAdminApp();
  });
  afterAll(() => app.stop());

  const edit = async (page: Page, text: string) => {
    await page.getByRole('textbox', { name: 'Description' }).fill(text);
    await page.getByRole('button', { name: 'Save' }).waitFor();
  };

  it('who edit the same tool: the second sees both versions, and nothing is lost', async () => {
    const first = await app.open(browser, '/tools/weather_get?tab=description');
    const second = await app.open(browser, '/tools/weather_get?tab=description');
    await edit(first.page, 'Written by the first');
    await edit(second.page, 'Written by the second');
    await first.page.getByRole('button', { name: 'Save' }).click();
    await first.page.getByText('Saved', { exact: true }).first().waitFor();

    await second.page.getByRole('button', { name: 'Save' }).click();
    const dialog = second.page.getByRole('dialog');
    await dialog.getByText('Written by the first').waitFor();
    await dialog.getByText('Written by the second').waitFor();
    expect((await app.gateway.admin('GET', '/tools/weather_get')).body.description).toBe(
      'Written by the first',
    );

    await dialog.getByLabel('Your version', { exact: true }).first().click();
    await dialog.getByRole('button', { name: 'Save selection' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect
      .poll(async () => (await app.gateway.admin('GET', '/tools/weather_get')).body.description)
      .toBe('Written by the second');
    await first.close();
    await second.close();
  });

  it('see what the other changed without reloading', async () => {
    const watching = await app.open(browser, '/servers');
    await watching.page.getByRole('link', { name: 'All tools' }).waitFor();
    await app.gateway.admin('POST', '/servers', { slug: 'late', name: 'Arrived later', tools: [] });
    await expect.poll(() => watching.page.getByRole('link', { name: 'Arrived later' }).count()).toBe(1);
    await watching.close();
  });

  it('see a toggle revert when the gateway rejects it', async () => {
    const { page, close } = await app.open(browser, '/tools');
    const toggle = page.getByRole('switch', { name: 'Enable weather_get' });
    await toggle.waitFor();
    await page.route('**/api/v1/tools/tool_*', (route) =>
      route.fulfill({ status: 409, contentType: 'application/problem+json', body: '{"detail":"Not now."}' }),
    );
    await toggle.click({ force: true });
    await page.getByText('Not now.').waitFor();
    await expect.poll(() => toggle.isChecked()).toBe(true);
    await close();
  });
});

describe('the keyboard', () => {
  it('opens the palette, which finds tools, remembers recent places, and runs actions', async () => {
    const app = await startAdminApp();
    const { page, trouble, close } = await app.open(browser, '/');
    page.on('console', (message) => {
      if (message.type() === 'error') trouble.push(`console: ${message.text()}`);
    });
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search, or type/ }).fill('weather_get');
    await page.getByRole('option', { name: /^weather_get/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'weather_get' }).waitFor();
    expect(page.url()).toMatch(/\/admin\/tools\/tool_/);

    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^weather_get/ }).waitFor();
    await page.getByRole('combobox', { name: /^Search, or type/ }).fill('dark mode');
    await page.getByRole('option', { name: /Switch to dark mode/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search, or type/ }).fill('key for all');
    await page.getByRole('option', { name: /Create a key for All tools/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('All tools').first().waitFor();
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search, or type/ }).fill('disable weather_get');
    await page.getByRole('option', { name: /^Disable weather_get/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('weather_get is disabled everywhere').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('weather_get is enabled').waitFor();
    const { body } = await app.gateway.admin('POST', '/tools/weather_get/call', {
      arguments: { location: 'Berlin' },
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search, or type/ }).fill(body.callId);
    await page.getByRole('option', { name: /Open this call/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Model received' }).waitFor();
    expect(trouble).toEqual([]);
    await close();
    await app.stop();
  });
});
