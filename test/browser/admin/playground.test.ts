import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminToken } from '../../support/running-gateway.ts';
import { type ScriptedModel, startScriptedModel } from '../../support/servers/scripted-model.ts';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, settled, startAdminApp } from './support/admin-app.ts';

const key = 'sk-browser-71c2d9e0f4a8b635';
let browser: Browser;
let app: AdminApp;
let model: ScriptedModel;

beforeAll(async () => {
  browser = await startBrowser();
  app = await startAdminApp();
  model = await startScriptedModel(key);
  await request('PATCH', '/settings', { egressAllow: [app.upstream.host, model.host] });
  const paths = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [
      at === 500 ? '/orders' : `/things/${at}`,
      {
        get: {
          operationId: at === 500 ? 'list_orders' : `get_thing_${at}`,
          summary: at === 500 ? 'List the orders of customers' : `Get the thing number ${at}`,
          parameters: [{ name: 'state', in: 'query', schema: { type: 'string' } }],
          responses: { 200: { description: 'Good' } },
        },
      },
    ]),
  );
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: `http://${app.upstream.host}` }],
    paths,
  };
  await request('POST', '/imports', { api: 'shop', text: JSON.stringify(document) });
});
afterAll(async () => {
  await app.stop();
  await model.close();
  await browser.close();
});

async function request(method: string, path: string, body: unknown): Promise<void> {
  const answer = await fetch(`${app.gateway.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error((await answer.text()).slice(0, 500));
}

it('works without a key, with a demo model that follows a script', async () => {
  const { page, trouble, close } = await app.open(browser, '/playground');
  await page.getByRole('button', { name: 'Try it with the demo model' }).click();
  await page.getByLabel('Mode: server default').selectOption('direct');
  await page.getByLabel('Question').fill('How is the weather in Osaka?');
  await page.keyboard.press('Enter');
  const card = page.locator('details', { hasText: 'weather_get' });
  await card.locator('summary').click();
  await card.getByText('"Osaka"').waitFor();
  await page.getByText(/I am a demo model/).waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  // Side by side, both counts of the calls agree.
  await page.getByLabel('Side by side').click();
  await page.getByLabel('Mode: server default').last().selectOption('direct');
  await page.getByLabel('Question').fill('Weather in Berlin?');
  await page.keyboard.press('Enter');
  const counted = page.getByRole('row', { name: /^Calls/ }).getByRole('cell');
  await counted.first().waitFor();
  expect(await counted.allTextContents()).toEqual(['1', '1']);
  expect(await page.getByText(/ · 1 call · 2 turns/).count()).toBe(3);

  await page.getByRole('tab', { name: 'Models' }).click();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/It answered in/).waitFor();
  await page.getByRole('button', { name: 'Delete: Demo model' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => page.getByText('Demo model').count()).toBe(0);
  expect(trouble).toEqual([]);
  await close();
});

it('a model and a check are edited and tested in the app, and earlier runs open', async () => {
  await request('POST', '/models', {
    name: 'Editable',
    protocol: 'openai',
    baseUrl: model.url,
    model: 'x',
    key,
  });
  const { page, trouble, close } = await app.open(browser, '/playground?tab=models');
  model.follow([{ text: 'ready' }]);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/It answered in .*ready/).waitFor();
  await page.getByRole('button', { name: 'Edit: Editable' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Model ID').fill('larger');
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^larger/).waitFor();

  await page.getByRole('tab', { name: 'Checks' }).click();
  await page.getByRole('button', { name: 'New check' }).click();
  await dialog.getByLabel('Question for the model').fill('Say hello.');
  await dialog.getByLabel('Name').fill('Greets');
  await dialog.getByLabel(/must say|must contain|words/i).fill('hello');
  await dialog.getByRole('button', { name: 'Save' }).click();
  for (const [text, score] of [
    ['hello', '1/1'],
    ['bye', '0/1'],
  ] as const) {
    model.follow([{ text }]);
    await page.getByRole('button', { name: 'Run: Greets' }).click();
    await page.getByText(score).first().waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Run: Greets' }).isEnabled()).toBe(true);
  }
  // The oldest run of the history opens above it.
  await page.locator('table').getByRole('button').last().click();
  await page.getByRole('heading', { name: 'Earlier run' }).waitFor();
  await page.getByRole('button', { name: 'Edit: Greets' }).click();
  await dialog.getByLabel('Name').fill('Says hello');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Run: Says hello' }).waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete: Says hello' }).click();
  await expect.poll(() => page.getByText('Says hello').count()).toBe(0);
  const { body } = await app.gateway.admin('GET', '/models');
  for (const { id } of body.items) await app.gateway.admin('DELETE', `/models/${id}`);
  expect(trouble).toEqual([]);
  await close();
});

it('a model is added with a key that the browser never sees again, and answers in search mode and in code mode', async () => {
  const { page, trouble, close } = await app.open(browser, '/playground');
  const seen: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/v1/') && !response.url().endsWith('/ask'))
      void response.text().then(
        (text) => seen.push(text),
        () => {},
      );
  });
  await page.getByText('No models yet').waitFor();
  await page.getByRole('button', { name: 'Add model' }).click();
  await page.getByLabel('Name').fill('Scripted');
  await page.getByLabel('Base URL').fill(model.url);
  await page.getByLabel('Model ID').fill('large');
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByLabel('Input price per 1M tokens').fill('2');
  await page.getByLabel('Output price per 1M tokens').fill('10');
  await page.getByRole('button', { name: 'Add model' }).click();
  await page.getByText('Key stored').waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  model.follow([
    { text: 'Let me look.', calls: [{ name: 'search_tools', arguments: { query: 'list orders' } }] },
    { calls: [{ name: 'call_read', arguments: { name: 'list_orders', arguments: { state: 'open' } } }] },
    { text: 'Seven orders are open.' },
  ]);
  await page.getByRole('tab', { name: 'Chat' }).click();
  await page.getByLabel('Mode: server default').selectOption('search');
  await page.getByLabel('Question').fill('Which orders are open?');
  await page.keyboard.press('Enter');
  await page.getByText('Seven orders are open.').waitFor();
  const card = page.locator('details', { hasText: 'call_read' });
  await card.locator('summary').click();
  await card.getByRole('link', { name: 'list_orders' }).waitFor();
  await page.getByText(/330 tokens · 2 calls · 3 turns/).waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  // Editing starts a branch; the original is still there.
  model.follow([
    {
      calls: [
        { name: 'run_code', arguments: { code: 'return (await tools.shop.list_orders({})) !== null;' } },
      ],
    },
    { text: 'Yes, with a script.' },
  ]);
  await page.getByLabel('Mode: server default').selectOption('code');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Question' }).first().fill('Are there orders?');
  await page.getByRole('button', { name: 'Ask' }).first().click();
  await page.getByText('Yes, with a script.').waitFor();
  await page.getByRole('button', { name: 'Previous branch' }).click();
  await page.getByText('Seven orders are open.').waitFor();

  // Saved as a check, it passes. With a model that behaves differently, it fails.
  await page.getByRole('button', { name: 'Save as check' }).click();
  expect(await page.getByLabel('Tools that must be called').inputValue()).toBe(
    'list_orders {"state":"open"}',
  );
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Check saved').waitFor();
  const called = { name: 'call_read', arguments: { name: 'list_orders', arguments: { state: 'open' } } };
  const good = [{ calls: [called] }, { text: 'Seven.' }];
  await page.getByRole('tab', { name: 'Checks' }).click();
  for (const [plan, score] of [
    [good, '1/1'],
    [[{ text: 'I do not know.' }], '0/1'],
  ] as const) {
    model.follow(plan);
    await page.getByRole('button', { name: 'Run all' }).click();
    await page.getByText(score).first().waitFor();
    await page.getByRole('button', { name: 'Run all' }).waitFor();
  }
  await page.getByText('list_orders was not called.').waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  expect(seen.length).toBeGreaterThan(5);
  expect(seen.filter((text) => text.includes(key))).toEqual([]);
  expect(trouble).toEqual([]);
  await close();
});

it('an answer can be stopped, and errors and a wrong key are shown, on a phone in Spanish', async () => {
  await request('POST', '/models', {
    name: 'Wrong',
    protocol: 'anthropic',
    baseUrl: model.url,
    model: 'large',
    key: 'sk-wrong-00000000000',
  });
  const { page, close } = await app.open(browser, '/playground', {
    locale: 'es-ES',
    colorScheme: 'dark',
    viewport: { width: 390, height: 800 },
  });
  const ask = async () => {
    await page.getByLabel('Pregunta').last().fill('¿Qué pedidos hay?');
    await page.getByRole('button', { name: 'Preguntar' }).click();
  };
  model.follow([{ text: 'Bueno, veamos', ends: 'hangs' }]);
  await ask();
  await page.getByText('Bueno,').waitFor();
  await page.getByRole('button', { name: 'Detener' }).click();
  await page.getByText('Usted detuvo la respuesta.').waitFor();
  await model.left;

  model.follow([{ refuses: { status: 500, body: { error: { message: 'out of order' } } } }]);
  await ask();
  await page.getByRole('alert').getByText('out of order').waitFor();

  await page.getByLabel('Modelo', { exact: true }).selectOption({ label: 'Wrong' });
  await ask();
  await page.getByRole('alert').getByText('rejected the key of "Wrong"').waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  await close();
});

it('conversations are kept when the tab, server or page changes, and over a reload', async () => {
  await request('POST', '/servers', { slug: 'desk', name: 'Desk', tools: [{ api: 'shop' }] });
  const { page, trouble, follow, close } = await app.open(browser, '/playground?server=default');
  await page.getByLabel('Model', { exact: true }).selectOption({ label: 'Scripted' });
  model.follow([{ text: '**Seven** orders, and a <b>tag</b>.' }]);
  await page.getByLabel('Question').fill('How many orders?');
  await page.keyboard.press('Enter');
  await page.locator('strong', { hasText: 'Seven' }).waitFor();
  await page.getByText('<b>tag</b>').waitFor();

  // A running answer continues in the background.
  model.follow([{ text: 'Still looking around', ends: 'hangs' }]);
  await page.getByLabel('Question').fill('And now?');
  await page.keyboard.press('Enter');
  await page.getByText('Still').waitFor();
  await page.getByRole('tab', { name: 'Models' }).click();
  await page.getByRole('tab', { name: 'Chat' }).click();
  await page.getByText('Still').waitFor();
  await page.getByLabel('Server', { exact: true }).selectOption({ label: 'Desk' });
  await page.getByText('Ask a question').waitFor();
  await follow('/calls');
  await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
  await follow('/playground');
  const list = page.getByRole('navigation', { name: 'Conversations' });
  await list.getByRole('button', { name: /^How many orders/ }).click();
  await page.getByText('Still').waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  // "Edit" focuses its field, so that letters are not shortcuts.
  await page.keyboard.press('Escape');
  await page.getByText('You stopped the answer.').waitFor();
  await page.getByRole('button', { name: 'Edit' }).first().click();
  await page.keyboard.type(' now');
  expect(await page.getByRole('textbox', { name: 'Question' }).first().inputValue()).toBe(
    'How many orders? now',
  );
  await page.keyboard.press('Escape');
  expect(new URL(page.url()).pathname).toBe('/admin/playground');

  await page.reload();
  await page.locator('strong', { hasText: 'Seven' }).waitFor();
  await list.getByRole('button', { name: 'New conversation' }).click();
  await page.getByText('Ask a question').waitFor();
  await list.getByRole('button', { name: 'Delete conversation: How many orders?' }).click();
  await list.waitFor({ state: 'hidden' });
  expect(trouble).toEqual([]);
  await close();
});
