import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createNodeHandler } from '#explorer';
import type { NodeHandlerConfig, ToolCallHandler, ToolsProvider } from '#explorer';

// Ends what hangs. On a busy machine even fast steps can take long.
const patienceMs = 120_000;

/** Starts the Chromium at CHROMIUM_PATH, or where Debian puts it. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `These tests need Chromium and found none at ${executablePath}; set CHROMIUM_PATH to one.`,
    );
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: patienceMs });
}

/** Serves an explorer on a free port. */
export async function serve(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  config: NodeHandlerConfig = {},
) {
  const server = createServer(createNodeHandler(tools, handleCall, { allowExecute: true, ...config }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${config.prefix ?? ''}/`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A page that records what went wrong on it: exceptions, dialogs and policy violations. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  context.setDefaultTimeout(patienceMs);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('pageerror', (error) => trouble.push(`exception: ${error.message}`));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted ?Types|Refused to/i.test(message.text()))
      trouble.push(`policy: ${message.text()}`);
  });
  return { page, trouble, close: () => context.close() };
}

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The axe-core violations on screen, shortened to rule and element; by all rules or only some. */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await axeSource);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const violations = (await page.evaluate(
    `axe.run(document, ${options}).then((found) => found.violations)`,
  )) as {
    id: string;
    nodes: { target: string[]; failureSummary: string }[];
  }[];
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join('; ')}`,
  );
}
