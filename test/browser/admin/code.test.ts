import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, settled, startAdminApp } from './support/admin-app.ts';

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

it('a script is written with suggestions, run by keyboard, and shows its calls and savings', async () => {
  const { page, trouble, close } = await app.open(browser, '/servers/default');
  await page.getByRole('link', { name: 'Run code' }).click();
  const field = page.getByRole('textbox', { name: /^Script for/ });
  await field.fill('');
  await field.pressSequentially('const found = await tools.');
  await page.getByRole('option', { name: /^demo/ }).waitFor();
  await page.keyboard.press('Enter');
  await field.pressSequentially('search_doc');
  await page.getByRole('option', { name: 'search_documents' }).waitFor();
  await page.keyboard.press('Tab');
  // Arguments are suggested right away, but none is selected, so Enter can still start a new line.
  await page.getByRole('option', { name: /^query/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await field.pressSequentially('revenue');
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('region', { name: 'Types of tools.demo.search_documents' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Enter');
  await field.pressSequentially("print('looked'); return found.length;");
  await page.keyboard.press('Control+Enter');

  await page.getByText('Printed for the model').waitFor();
  const calls = page.locator('section', { has: page.getByRole('heading', { name: 'Calls' }) });
  expect(await calls.getByRole('listitem').count()).toBe(1);
  await page.getByText(/fewer tokens? to read/).waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  await calls.getByRole('link', { name: 'demo.search_documents' }).click();
  await page.getByRole('heading', { name: 'search_documents', level: 1 }).waitFor();
  await page.goBack();
  // The script is still there.
  await expect.poll(() => field.inputValue()).toContain('search_documents');
  expect(trouble).toEqual([]);
  await close();
});

it('an error marks its line and links to it, and a waiting script can be stopped', async () => {
  const { page, trouble, close } = await app.open(browser, '/code/default', { locale: 'es-ES' });
  const field = page.getByRole('textbox', { name: /^Script para/ });
  await field.fill('const a = 1;\nnull.x;\nreturn a;');
  await page.getByRole('button', { name: 'Ejecutar' }).click();
  await page.getByRole('button', { name: 'Ir a la línea 2' }).click();
  const selected = '((it) => it.value.slice(it.selectionStart, it.selectionEnd))(document.activeElement)';
  expect(await page.evaluate(selected)).toBe('null.x;');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await axeViolations(page)).toEqual([]);

  await field.fill('await sleep(20000);');
  expect(await field.getAttribute('aria-invalid')).toBeNull();
  await page.getByRole('button', { name: 'Ejecutar' }).click();
  await page.getByRole('button', { name: 'Detener' }).click();
  await page.getByText('Detenido').waitFor();
  await page.getByRole('link', { name: 'Ver ejecuciones en este servidor' }).click();
  await page.getByText('run_code').first().waitFor();
  expect(trouble).toEqual([]);
  await close();
});

it.each([
  ['an unknown server', '/code/nowhere', 'Server nowhere not found'],
  ['a server that is disabled', '/code/asleep', 'This server is disabled'],
  ['a server without tools', '/code/empty', 'No tools that scripts can call'],
])('%s says what to do next', async (_, path, words) => {
  const servers = [
    { slug: 'asleep', name: 'Asleep', tools: '*' },
    { slug: 'empty', name: 'Empty', tools: [] },
  ];
  for (const server of servers) await app.gateway.admin('POST', '/servers', server);
  await app.gateway.admin('PATCH', '/servers/asleep', { enabled: false });
  const { page, close } = await app.open(browser, path);
  await page.getByText(words).waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  // Next to the one to the docs.
  expect(await page.locator('main a:not([target])').count()).toBe(1);
  await close();
});

it('a version of a composed tool shows what it changed', async () => {
  const script = (limit: number) => `const limit = ${limit};\nreturn limit;\n`;
  const made = await app.gateway.admin('POST', '/composed-tools', {
    server: 'default',
    name: 'limited',
    description: 'Returns a limit.',
    inputSchema: { type: 'object', properties: {} },
    code: script(1),
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const edited = await app.gateway.admin('PATCH', `/composed-tools/${made.body.id}`, { code: script(2) });
  expect(edited.status, JSON.stringify(edited.body)).toBe(200);
  const { page, trouble, close } = await app.open(browser, `/composed/${made.body.id}?tab=versions`);
  const changes = page.getByRole('region', { name: 'Changes since version 1' });
  await changes.waitFor();
  expect(await changes.locator('del').allTextContents()).toEqual(['const limit = 1;']);
  expect(await changes.locator('ins').allTextContents()).toEqual(['const limit = 2;']);
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  expect(trouble).toEqual([]);
  await close();
});
