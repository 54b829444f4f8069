import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, post } from '../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { type EchoUpstream, startEcho } from '../support/servers/echo-upstream.ts';
import { axeViolations, openPage, startBrowser } from './explorer/support/browser.ts';

const maxBytes = 2_000_000;

let browser: Browser;
let upstream: EchoUpstream;
let running: RunningGateway;

beforeAll(async () => {
  browser = await startBrowser();
  upstream = await startEcho();
  running = await startGateway({ egressAllow: upstream.host, maxFileBytes: maxBytes });
  await running.admin('POST', '/apis', { slug: 'files', name: 'Files', baseUrl: upstream.origin });
  const { status } = await running.admin('POST', '/tools', {
    api: 'files',
    name: 'put_raw',
    description: 'Keeps a file.',
    operation: {
      method: 'PUT',
      path: '/raw',
      parameters: [{ name: 'body', in: 'body', schema: { type: 'string' }, required: true }],
      body: { mediaType: 'application/octet-stream', shape: 'whole', binary: true },
    },
  });
  expect(status).toBe(201);
});
afterAll(async () => {
  await running.stop();
  await upstream.close();
  await browser.close();
});

async function call(name: string, args: object) {
  const { body, headers } = modern('tools/call', { name, arguments: args });
  return (await post(`${running.url}/mcp/default`, body, headers)).json.result;
}

/** What a model shows its user, and later passes to the tool. */
async function askForUpload() {
  const [{ text }] = (await call('request_upload', {})).content;
  return { url: /https?:\/\/\S+/.exec(text)![0], handle: /upload_[\w-]+/.exec(text)![0] };
}

const overflow = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth');
const file = (name: string, bytes = 1_000) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.alloc(bytes, 'x'),
});
const longName = `${'a name that goes on '.repeat(6)}${'andon'.repeat(20)}.txt`;

const looks: [string, BrowserContextOptions][] = [
  ['desktop, light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
  ['desktop, dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
  ['phone, light', { viewport: { width: 390, height: 844 }, colorScheme: 'light', isMobile: true }],
  ['phone, dark', { viewport: { width: 320, height: 640 }, colorScheme: 'dark', isMobile: true }],
];

describe.each(looks)('the upload page: %s', (_, look) => {
  it('takes a file by keyboard, confirms it, and the tool gets it', async () => {
    const { url, handle } = await askForUpload();
    const { page, trouble, close } = await openPage(browser, look);
    // Registered before the page exists, because a file chooser without a handler stays open.
    page.on('filechooser', (chooser) => void chooser.setFiles(file(longName)));
    await page.goto(url);
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);

    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('file');
    await page.keyboard.press('Enter');
    await page.locator('label', { hasText: longName }).waitFor();
    expect([await axeViolations(page), await overflow(page)]).toEqual([[], 0]);

    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'File sent' }).waitFor();
    expect(await page.title()).toContain('File sent');
    // Screen readers announce it too.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.getByText('Go back to your assistant').waitFor();
    expect([await axeViolations(page), await overflow(page), trouble]).toEqual([[], 0, []]);

    await call('put_raw', { body: handle });
    expect(upstream.seen.at(-1)!.body.length).toBe(1_000);

    await page.goto(url);
    await page.getByRole('heading', { name: 'This link has expired or was already used' }).waitFor();
    await page.getByText('Ask your assistant for a new link').waitFor();
    expect([await axeViolations(page), await overflow(page), trouble]).toEqual([[], 0, []]);
    await close();
  });

  it('without scripts it is a form that reports errors and links back', async () => {
    const { url, handle } = await askForUpload();
    const { page, close } = await openPage(browser, { ...look, javaScriptEnabled: false });
    await page.goto(url);
    expect(await overflow(page)).toBe(0);
    await page.locator('#file').setInputFiles(file('large.txt', maxBytes + 1));
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { name: 'The file was not sent' }).waitFor();
    await page.getByText('This file is too large. At most 2000 kB.').waitFor();

    await page.getByRole('link', { name: 'Choose another file' }).click();
    await page.locator('#file').setInputFiles(file('small.txt', 500));
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { name: 'File sent' }).waitFor();
    await close();
    await call('put_raw', { body: handle });
    expect(upstream.seen.at(-1)!.body.length).toBe(500);
  });
});

/** Drops a file on the page the way a browser does. */
async function drop(page: Page, name: string, bytes: number, copies = 1): Promise<void> {
  const data = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (let at = 0; at < ${copies}; at++)
      transfer.items.add(new File([new Uint8Array(${bytes})], at + ${JSON.stringify(name)}));
    return transfer;
  })()`);
  await page.dispatchEvent('main', 'drop', { dataTransfer: data });
}

it('takes a dropped file, shows progress, and accepts no second one in the meantime', async () => {
  const { url, handle } = await askForUpload();
  const { page, trouble, close } = await openPage(browser);
  await page.goto(url);
  const send = page.getByRole('button', { name: 'Send' });
  expect(await send.isDisabled()).toBe(true);
  await drop(page, 'large.bin', maxBytes + 1);
  await page.getByText('This file is too large.').waitFor();
  expect(await send.isDisabled()).toBe(true);
  await drop(page, 'empty.bin', 0);
  await page.getByText('This file is empty.').waitFor();
  expect(await send.isDisabled()).toBe(true);
  await drop(page, 'two.bin', 10, 2);
  await page.getByText('Only one file can be sent.').waitFor();
  expect(await send.isDisabled()).toBe(true);
  await page.getByText(/^Server: All tools\. This link expires in \d+ min\.$/).waitFor();
  await drop(page, 'right.bin', 700);
  await page.locator('label', { hasText: 'right.bin' }).waitFor();

  // The connection is lost in the middle, then restored.
  let letOn = (): void => {};
  const held = new Promise<void>((resolve) => {
    letOn = resolve;
  });
  await page.route('**/uploads/**', async (route) => {
    await held;
    await route.abort();
  });
  await send.click();
  await page.getByRole('progressbar', { name: 'Sending…' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await drop(page, 'other.bin', 900);
  expect(await page.locator('label').textContent()).toContain('right.bin');
  expect(await send.isDisabled()).toBe(true);
  letOn();
  await page.getByText('Check your connection and try again').waitFor();
  await page.unroute('**/uploads/**');
  await send.click();
  await page.getByRole('heading', { name: 'File sent' }).waitFor();
  expect(trouble).toEqual([]);
  await close();
  await call('put_raw', { body: handle });
  expect(upstream.seen.at(-1)!.body.length).toBe(700);
});

it('reports a link that never existed, and one that expired while the page was open', async () => {
  const { page, trouble, close } = await openPage(browser, { locale: 'es-ES' });
  const { url } = await askForUpload();
  await page.goto(`${url.slice(0, -4)}AAAA`);
  await page.getByRole('heading', { name: 'Este enlace caducó o ya se usó' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);

  await page.goto(url);
  await page.locator('#file').setInputFiles(file('uno.txt'));
  await fetch(url, { method: 'PUT', body: 'first' });
  await page.getByRole('button', { name: 'Enviar' }).click();
  await page.getByText('Pide a tu asistente un enlace nuevo').waitFor();
  expect(trouble).toEqual([]);
  await close();
});
