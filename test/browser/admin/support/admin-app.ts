import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type EchoUpstream, startEcho } from '../../../support/echo-upstream.ts';
import { adminToken, type RunningGateway, startGateway } from '../../../support/running-gateway.ts';
import { openPage } from '../../explorer/support/browser.ts';

/** A gateway with its web app, and an API to import. */
export interface AdminApp {
  readonly gateway: RunningGateway;
  readonly upstream: EchoUpstream;
  /** Opens a page of the app, signed in with the admin token. */
  open(
    browser: Browser,
    path: string,
    options?: BrowserContextOptions,
  ): Promise<{ page: Page; trouble: string[]; close: () => Promise<void> }>;
  stop(): Promise<void>;
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
      await opened.page.goto(`${gateway.url}/admin${path}`);
      return opened;
    },
    async stop() {
      await gateway.stop();
      await upstream.close();
    },
  };
}
