import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type EchoUpstream, startEcho } from '../../../support/servers/echo-upstream.ts';
import { adminToken, type RunningGateway, startGateway } from '../../../support/running-gateway.ts';
import { openPage } from '../../explorer/support/browser.ts';

/** A gateway with its web app, and an API to import. */
export interface AdminApp {
  readonly gateway: RunningGateway;
  readonly upstream: EchoUpstream;
  /** Opens a page of the app, signed in with the admin token. */
  open(browser: Browser, path: string, options?: BrowserContextOptions): Promise<OpenPage>;
  stop(): Promise<void>;
}

/** A window on the app. */
export interface OpenPage {
  readonly page: Page;
  /** Errors that occurred on the page. */
  readonly trouble: string[];
  /** Loads a page from scratch. */
  goTo(path: string): Promise<void>;
  /** Goes to a page as a link does, without loading the app again. */
  follow(path: string): Promise<void>;
  close(): Promise<void>;
}

const built = fileURLToPath(new URL('../../../../dist/web/admin/index.html', import.meta.url));

export async function startAdminApp(): Promise<AdminApp> {
  if (!existsSync(built)) throw new Error('The admin app is not built: run "npm run build" first.');
  const upstream = await startEcho();
  const gateway = await startGateway({ egressAllow: upstream.host, demo: true });
  return {
    gateway,
    upstream,
    async open(browser, path, options) {
      const opened = await openPage(browser, options);
      await opened.page.addInitScript(
        `sessionStorage.setItem('handrail.admin-token', ${JSON.stringify(adminToken)})`,
      );
      const goTo = async (to: string) => {
        await opened.page.goto(`${gateway.url}/admin${to}`);
      };
      await goTo(path);
      const follow = async (to: string) => {
        await opened.page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/admin${to}`)})`);
      };
      return { ...opened, goTo, follow };
    },
    async stop() {
      await gateway.stop();
      await upstream.close();
    },
  };
}

/** Pastes a document or its URL on the page for adding an API, and waits for the plan. */
export async function planImport(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /openapi\.json/ }).fill(text);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('What will be added').waitFor();
}

/** Waits until a page has loaded its content and nothing moves anymore. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main p').first().waitFor();
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
  // Otherwise colors would be read in mid-transition.
  await page.evaluate(
    `Promise.all(document.getAnimations().filter((it) => it instanceof CSSTransition).map((it) => it.finished.catch(() => 0)))`,
  );
}
