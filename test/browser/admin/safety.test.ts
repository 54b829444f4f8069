import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, type OpenPage, settled, startAdminApp } from './support/admin-app.ts';

const attack = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
const scheme = 'javascript:window.attacked=1';

/** An API description and an upstream that put markup into every field they can fill. */
function hostileDocument(origin: string): string {
  const text = (where: string) => `${where} ${attack}`;
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: text('title'), version: attack, description: text('info'), contact: { url: scheme } },
    servers: [{ url: origin, description: text('server') }],
    externalDocs: { url: scheme, description: attack },
    tags: [{ name: text('tag'), description: text('tag description') }],
    components: {
      securitySchemes: { [attack]: { type: 'apiKey', in: 'header', name: 'X-Key', description: attack } },
    },
    paths: {
      [`/a/${attack}`]: {
        get: {
          operationId: text('operation'),
          summary: text('summary'),
          description: text('description'),
          tags: [text('tag')],
          parameters: [
            {
              name: attack,
              in: 'query',
              description: text('parameter'),
              schema: { type: 'string', enum: [attack], default: attack, title: attack },
            },
          ],
          responses: { 200: { description: text('reply') } },
        },
      },
      '/plain': { get: { operationId: 'plain', summary: text('plain'), responses: {} } },
    },
  });
}

describe('stored markup', () => {
  let browser: Browser;
  let app: AdminApp;
  let upstream: Server;
  let opened: OpenPage;
  let tool = '';
  let call = '';

  beforeAll(async () => {
    browser = await startBrowser();
    app = await startAdminApp();
    upstream = createServer((_req, res) => {
      res.writeHead(500, attack.replace(/[^\x20-\x7e]/g, ''), { 'content-type': 'text/html' });
      res.end(attack);
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    await app.gateway.admin('PATCH', '/settings', { egressAllow: ['127.0.0.1'] });
    const imported = await app.gateway.admin('POST', '/imports', {
      text: hostileDocument(origin),
      api: 'hostile',
    });
    if (imported.status !== 200) throw new Error(`The hostile document was refused: ${imported.body.detail}`);
    await app.gateway.admin('PATCH', '/apis/hostile', { name: attack, description: attack });
    await app.gateway.admin('POST', '/servers', {
      slug: 'evil',
      name: attack,
      description: attack,
      instructions: attack,
      tools: [{ api: 'hostile' }],
      prompts: [
        {
          name: 'p',
          title: attack,
          description: attack,
          text: attack,
          arguments: [{ name: attack, description: attack, values: [attack] }],
        },
      ],
      resources: [{ uri: scheme, name: attack, title: attack, description: attack, text: attack }],
    });
    // Clients choose their own name, and it appears in lists and charts.
    await fetch(`${app.gateway.url}/mcp/tools/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': attack },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'plain' } }),
    });
    await app.gateway.admin('POST', '/keys', { name: attack });
    await app.gateway.admin('POST', '/tools/plain/call', { arguments: { [attack]: attack } });
    call = (await app.gateway.admin('POST', '/tools/plain/call', {})).body.callId;
    tool = (await app.gateway.admin('GET', '/tool-index?api=hostile')).body.items[0].id;
    opened = await app.open(browser, '/');
  });
  afterAll(async () => {
    await app.stop();
    upstream.close();
    await browser.close();
  });

  const paths = [
    '/',
    '/apis',
    '/apis/hostile',
    '/apis/hostile?tab=settings',
    '/apis/hostile?tab=source',
    '/tools',
    '/tools/TOOL',
    '/tools/TOOL?tab=description',
    '/tools/TOOL?tab=parameters',
    '/tools/TOOL?tab=schema',
    '/tools/TOOL?tab=reply',
    '/servers',
    '/servers/evil',
    '/servers/evil?tab=tools',
    '/servers/evil?tab=settings',
    '/servers/evil?tab=prompts',
    '/keys',
    '/calls',
    '/calls/CALL',
    '/analytics',
    '/analytics?by=client',
    '/analytics?by=caller&range=15m',
    `/calls?client=${encodeURIComponent(attack)}`,
    '/credentials',
    '/audit',
  ];

  it.each(paths)('stays text on %s', async (path) => {
    const { page, trouble } = opened;
    trouble.length = 0;
    await opened.follow(path.replace('TOOL', tool).replace('CALL', call));
    await settled(page);
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(await page.locator('main img, a[href^="javascript:"]').count()).toBe(0);
    expect(trouble).toEqual([]);
  });

  it('stays text in the plan of an import', async () => {
    const { page, trouble, close } = await app.open(browser, '/add');
    await page
      .getByRole('textbox', { name: /openapi\.json/ })
      .fill(hostileDocument('https://hostile.example'));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('What will be added').waitFor();
    await page.getByRole('button', { name: /^Details of GET \/a/ }).click();
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(await page.locator('main img').count()).toBe(0);
    expect(trouble).toEqual([]);
    await close();
  });
});
