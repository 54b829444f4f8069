import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage, serve, startBrowser } from './support/browser.ts';
import { answer, showcase, thousand } from './support/tools.ts';

const run = promisify(execFile);
let browser: Browser;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  await browser.close();
});

async function open(tools = showcase, path = '', options = {}, config = {}) {
  const server = await serve(tools, answer, config);
  const { page, trouble, close } = await openPage(browser, options);
  closing.push(server.close, close);
  await page.goto(server.url + path);
  return { page, trouble, url: server.url };
}

const forecast = { ...showcase[0], name: 'forecast_for_city' };

async function clipboard(page: Page): Promise<string> {
  return (await page.evaluate('navigator.clipboard.readText()')) as string;
}

describe('one tool among a thousand', () => {
  it('is found, filled in, corrected, executed, read as a table, and repeated in a shell', async () => {
    const tools = [...thousand.slice(0, 500), forecast, ...thousand.slice(500)];
    const server = await serve(tools, (name, args, request) =>
      answer(name === forecast.name ? 'weather_forecast' : name, args, request),
    );
    const { page, trouble, close } = await openPage(browser);
    closing.push(server.close, close);
    await page.goto(server.url);
    await page.getByText('1,001 tools').waitFor();
    expect(await page.locator('.list-tool').count()).toBeLessThan(60);

    await page.getByRole('combobox', { name: 'Search tools' }).fill('forecast city');
    await page.getByText('1 of 1,001').waitFor();
    await page.getByRole('option').first().click();
    await page.getByLabel('days', { exact: true }).fill('9');
    await page.getByText('must be 7 or less').waitFor();
    await page.getByLabel('city', { exact: true }).fill('L\'Aquila & "more" $(id)');
    await page.getByLabel('days', { exact: true }).fill('2');
    await expect.poll(() => page.getByText('must be 7 or less').count()).toBe(0);
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByText('The arguments match the schema.').waitFor();

    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('Success 200').waitFor();
    const cells = await page
      .getByRole('region', { name: 'Table' })
      .locator('tbody tr')
      .first()
      .locator('td')
      .allTextContents();
    expect(cells.slice(0, 4)).toEqual(['2026-06-01', '24', '15', 'clear']);
    await page.getByRole('button', { name: 'sky' }).click();
    expect(await page.locator('th[aria-sort=ascending]').textContent()).toContain('sky');

    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'cURL' }).click();
    await page.getByText('Copied as cURL').waitFor();
    const command = await clipboard(page);
    expect(command).not.toContain('Authorization');
    const { stdout } = await run('sh', ['-c', `${command} -s`]);
    await page.getByRole('tab', { name: 'Raw MCP' }).click();
    const raw = await page.getByRole('region', { name: 'Raw MCP' }).textContent();
    expect(JSON.parse(stdout)).toEqual(JSON.parse(raw ?? ''));
    expect(JSON.parse(JSON.parse(stdout).content[0].text).city).toBe('L\'Aquila & "more" $(id)');
    expect(trouble).toEqual([]);
  });

  it('is reached and run by keyboard alone', async () => {
    const { page, trouble } = await open([...thousand, forecast]);
    await page.getByText('1,001 tools').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('operation_99');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('tool-name');
    const name = await page.locator('#tool-name').textContent();
    expect(name).toMatch(/operation_99/);
    for (
      let presses = 0;
      presses < 20 && (await page.evaluate('document.activeElement.tagName')) !== 'INPUT';
      presses++
    ) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Control+A');
    await page.keyboard.type('abc');
    await page.getByText('must be integer').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('7');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Success 200').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.id')).toBe('tool-name');
    await page.keyboard.press('Escape');
    await page.getByText('Select a tool from the list').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('tool-search');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: name ?? '' }).waitFor();
    expect(await page.getByLabel('id', { exact: true }).inputValue()).toBe('7');
    expect(trouble).toEqual([]);
  });
});

describe('form and JSON', () => {
  it('stay in sync both ways', async () => {
    const { page, trouble } = await open(showcase, '#/orders_create');
    const json = page.getByLabel('Arguments as JSON');
    await page.getByLabel('email', { exact: true }).fill('ada@example.org');
    await page.getByRole('button', { name: 'Add item to lines' }).click();
    await page.getByLabel('quantity').nth(1).fill('4');
    await page.getByLabel('gift').check();
    await page.getByRole('button', { name: 'Add metadata' }).click();
    await page.getByLabel('Property name').fill('source');
    await page.getByLabel('Property name').press('Enter');
    await page.getByLabel('source', { exact: true }).fill('web');
    await page.getByLabel('Type of payment').selectOption('Invoice');
    await page.getByLabel('company', { exact: true }).fill('ACME');
    expect(JSON.parse(await json.inputValue())).toEqual({
      customer: { email: 'ada@example.org' },
      lines: [
        { sku: 'ABC-1', quantity: 1 },
        { sku: 'ABC-1', quantity: 4 },
      ],
      payment: { company: 'ACME' },
      tags: ['gift'],
      metadata: { source: 'web' },
    });
    await json.fill('{"customer":{"email":"grace"},"lines":[],"payment":{"number":"1"},"note":null}');
    expect(await page.getByLabel('email', { exact: true }).inputValue()).toBe('grace');
    expect(await page.getByLabel('Type of payment').inputValue()).toBe('0');
    await json.fill('{"customer":');
    await page.getByText('Invalid JSON on line 1').waitFor();
    expect(trouble).toEqual([]);
  });

  it('shows immediately what the schema does not allow, and clears with the value', async () => {
    const { page } = await open(showcase, '#/orders_create');
    await page.getByLabel('sku').fill('nonsense');
    await page.getByText('must match ^[A-Z]{3}-\\d+$').waitFor();
    expect(await page.getByLabel('sku').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('sku').fill('ABC-77');
    await expect.poll(() => page.getByLabel('sku').getAttribute('aria-invalid')).toBe(null);
  });

  it('sends a file as Base64', async () => {
    const { page } = await open(showcase, '#/orders_create');
    await page
      .getByLabel('Choose a file for attachment')
      .setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('hello') });
    await expect
      .poll(async () => JSON.parse(await page.getByLabel('Arguments as JSON').inputValue()).attachment)
      .toBe('aGVsbG8=');
  });

  it('stops invalid arguments once, then sends them on the second attempt', async () => {
    const { page } = await open(showcase, '#/orders_delete');
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('1 problem with the arguments').waitFor();
    await page.getByRole('button', { name: 'Execute anyway' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Execute' }).click();
    await page.getByText('Tool error 500').waitFor();
    expect(await page.locator('.result.failed').count()).toBe(1);
  });
});

describe('a tool that may destroy something', () => {
  const id = '00000000-0000-4000-8000-000000000000';

  async function openDelete(locale: string) {
    const received: unknown[] = [];
    const server = await serve(showcase, async (_name, args) => {
      received.push(args);
      return [[], false];
    });
    const { page, trouble, close } = await openPage(browser, { locale });
    closing.push(server.close, close);
    await page.goto(`${server.url}#/orders_delete`);
    await page.getByLabel('id', { exact: true }).fill(id);
    return { page, trouble, received, url: server.url };
  }

  it.each([
    ['en-GB', 'Execute', 'Execute orders_delete?', 'Success 200'],
    ['es-ES', 'Ejecutar', '¿Ejecutar orders_delete?', 'Éxito 200'],
  ])('asks first, also by keyboard, and restores the focus: %s', async (locale, runLabel, question, done) => {
    const { page, trouble, received } = await openDelete(locale);
    const execute = page.getByRole('button', { name: runLabel, exact: true });
    const dialog = page.getByRole('alertdialog', { name: question });
    await execute.focus();
    for (const refuse of ['Escape', 'Enter']) {
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      await page.keyboard.press('Control+Enter');
      expect(await page.getByRole('dialog').or(page.getByRole('alertdialog')).count()).toBe(1);
      expect(await dialog.textContent()).toContain(id);
      await page.keyboard.press(refuse);
      await dialog.waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.textContent')).toBe(runLabel);
    }
    expect(received).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText(done).waitFor();
    expect(received).toEqual([{ id }]);
    expect(trouble).toEqual([]);
  });

  it('does not run after leaving its page', async () => {
    const { page, received, url } = await openDelete('en-GB');
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByRole('alertdialog').waitFor();
    await page.goto(`${url}#/report`);
    await page.getByRole('heading', { name: 'report' }).waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    expect(received).toEqual([]);
  });
});

describe('answers', () => {
  it('are removed when a new attempt is stopped, rejected, or fails', async () => {
    const { page } = await open(showcase, '#/weather_forecast');
    const city = page.getByLabel('city', { exact: true });
    const success = page.getByText('Success 200');
    const attempts = [
      ['Execute', 'x', '1 problem with the arguments'],
      ['Validate', 'x', '1 problem with the arguments'],
      ['Validate', 'Faro', 'Couldn’t reach the server. Check your connection and try again.'],
    ] as const;
    for (const [button, value, problem] of attempts) {
      await city.fill('Porto');
      await page.getByRole('button', { name: 'Execute' }).click();
      await success.waitFor();
      await city.fill(value);
      if (value === 'Faro') await page.context().setOffline(true);
      await page.getByRole('button', { name: button }).click();
      await page.getByText(problem).waitFor();
      expect(await success.count()).toBe(0);
      await page.getByText('Earlier results are in the history.').waitFor();
    }
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.pill.bad').waitFor();
    await page.getByRole('tab', { name: 'Raw MCP' }).click();
    expect(await page.locator('.result').textContent()).not.toContain('trace-42');
  });

  it('show the fields next to a list, and search them', async () => {
    const { page } = await open(showcase, '#/weather_forecast');
    await page.getByLabel('city', { exact: true }).fill('Porto');
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('caption', { hasText: 'days · 3 rows' }).waitFor();
    expect(await page.locator('.table-view .tree').textContent()).toContain('"Porto"');
    await page.getByLabel('Search the result').fill('porto');
    await page.getByText('1 found').waitFor();
  });

  it.each([
    ['en-GB', 'Execute', 'Tool error · API returned 503'],
    ['es-ES', 'Ejecutar', 'Error de la herramienta · La API devolvió 503'],
  ])('show the status of the API behind the tool: %s', async (locale, runLabel, label) => {
    const server = await serve(showcase, async () => [[{ type: 'text', text: 'Busy.' }], true, 't', 503]);
    const { page, close } = await openPage(browser, { locale, viewport: { width: 390, height: 844 } });
    closing.push(server.close, close);
    await page.goto(`${server.url}#/report`);
    await page.getByRole('button', { name: runLabel }).click();
    await page.getByText(label).waitFor();
    expect(await page.locator('.pill').textContent()).not.toContain('500');
    const { x, width } = (await page.locator('.pill').boundingBox())!;
    expect(x + width).toBeLessThan(390);
  });

  it('shows images, links, resources and Markdown', async () => {
    const { page, trouble } = await open(showcase, '#/weather_map');
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByRole('img').waitFor();
    expect(await page.evaluate('document.querySelector("img").naturalWidth')).toBe(10);
    expect(await page.getByRole('link', { name: 'Full map' }).getAttribute('rel')).toBe(
      'noopener noreferrer nofollow',
    );
    await page.getByText('blue: rain', { exact: true }).waitFor();
    expect(await page.locator('.resource a').count()).toBe(0);
    await page.getByRole('option', { name: /report/ }).click();
    await page.getByRole('heading', { name: 'report' }).waitFor();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.markdown table').waitFor();
    expect(trouble).toEqual([]);
  });

  it('can be canceled', async () => {
    const { page } = await open(showcase, '#/slow');
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Canceled').first().waitFor();
    expect(await page.getByRole('button', { name: 'Execute' }).isEnabled()).toBe(true);
  });

  it('are searched in the tree, kept in the history, compared and repeated', async () => {
    const { page } = await open(showcase, '#/weather_forecast');
    for (const city of ['Porto', 'Faro']) {
      await page.getByLabel('city', { exact: true }).fill(city);
      await page.getByRole('button', { name: 'Execute' }).click();
      await page.locator('.pill.good').waitFor();
      await page.locator('.result').getByLabel('Tree').check();
      await page.getByText(`"${city}"`).first().waitFor();
    }
    await page.getByLabel('Search the result').fill('cloudy');
    await page.getByText('1 found').waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    for (const box of await page.locator('.history input[type=checkbox]').all()) await box.check();
    expect(await page.locator('.diff .lost').allTextContents()).toContainEqual(
      expect.stringContaining('Porto'),
    );
    expect(await page.locator('.diff .gained').allTextContents()).toContainEqual(
      expect.stringContaining('Faro'),
    );
    await page.getByRole('button', { name: 'Use again' }).last().click();
    expect(await page.getByLabel('city', { exact: true }).inputValue()).toBe('Porto');
  });
});

describe('the page', () => {
  it('opens a tool by its link, whatever its name', async () => {
    const name = 'odd/näme %41 ?x#y';
    const { page } = await open(
      [{ name, description: '', inputSchema: { type: 'object' } }],
      `#/${encodeURIComponent(name)}`,
    );
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('Success 200').waitFor();
    expect(await page.title()).toBe(`${name} · MCP Tool Explorer`);
  });

  it('reports a link to an unknown tool', async () => {
    const { page } = await open(showcase, '#/nope');
    await page.getByText('No tool is named “nope”.').waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
  });

  it('works below a prefix, with and without a trailing slash', async () => {
    const server = await serve(showcase, answer, { prefix: '/deep/explorer' });
    const { page, close } = await openPage(browser);
    closing.push(server.close, close);
    for (const url of [server.url, server.url.slice(0, -1)]) {
      await page.goto(url);
      await page.getByText('6 tools').waitFor();
      expect(await page.getByRole('option').count()).toBe(6);
    }
  });

  it('offers no execution if disabled, but validates', async () => {
    const { page } = await open(showcase, '#/weather_forecast', {}, { allowExecute: false });
    await page.getByText('Execution is disabled').waitFor();
    expect(await page.getByRole('button', { name: 'Execute' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByRole('button', { name: '/city' }).click();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-required")')).toBe('true');
  });

  it('is in Spanish in a Spanish browser, and switches', async () => {
    const { page } = await open(showcase, '#/weather_forecast', { locale: 'es-ES' });
    await page.getByRole('button', { name: 'Ejecutar' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('es');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Execute' }).waitFor();
  });

  it('follows the system’s dark mode until changed', async () => {
    const { page } = await open(showcase, '', { colorScheme: 'dark' });
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.getByRole('button', { name: 'Light mode' }).click();
    await page.reload();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light');
  });

  it('shows list or tool on a phone, and goes back', async () => {
    const { page } = await open(showcase, '', { viewport: { width: 390, height: 844 }, hasTouch: true });
    await page.getByRole('option', { name: /weather_forecast/ }).tap();
    await page.getByLabel('city', { exact: true }).fill('Lisbon');
    await page.getByRole('button', { name: 'Execute' }).tap();
    await page.getByText('Success 200').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.getByLabel('JSON', { exact: true }).first().check();
    await page.getByLabel('Arguments as JSON').waitFor();
    await page.getByRole('button', { name: 'All tools' }).tap();
    await page.getByRole('option', { name: /orders_create/ }).waitFor();
  });
});
