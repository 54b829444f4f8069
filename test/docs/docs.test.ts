import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, openPage, startBrowser } from '../browser/explorer/support/browser.ts';
import { serveHandrail, type ServingProcess } from '../support/command.ts';

const built = fileURLToPath(new URL('../../dist/docs/', import.meta.url));
const pages = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.html') && name !== '404.html',
);
const data = mkdtempSync(join(tmpdir(), 'handrail-docs-'));
let browser: Browser;
let gateway: ServingProcess;
let site = '';

beforeAll(async () => {
  browser = await startBrowser();
  gateway = await serveHandrail(['--data-dir', data]);
  site = `${gateway.url}/docs/`;
});
afterAll(async () => {
  await browser.close();
  gateway.child.kill('SIGTERM');
  await gateway.exited;
  rmSync(data, { recursive: true, force: true, maxRetries: 10 });
});

/** A word or two that a reader might look for, and the page that has to be among the first found. */
const wanted: readonly (readonly [query: string, page: string])[] = [
  ['overlay', 'guide/importing'],
  ['postman', 'guide/importing'],
  ['watch-minutes', 'guide/importing'],
  ['access key', 'guide/access'],
  ['introspection', 'guide/access'],
  ['bearer', 'guide/credentials'],
  ['mutual-tls', 'guide/credentials'],
  ['login token', 'guide/credentials'],
  ['retries', 'guide/limits'],
  ['circuit', 'guide/limits'],
  ['prompts', 'guide/servers'],
  ['search mode', 'guide/servers'],
  ['dialect', 'guide/connecting-clients'],
  ['claude-desktop', 'guide/connecting-clients'],
  ['kubernetes', 'guide/deploying'],
  ['systemd', 'guide/deploying'],
  ['formulas', 'guide/scaling'],
  ['capacity', 'guide/capacity'],
  ['prometheus', 'guide/observability'],
  ['egress', 'start/internal-api'],
  ['HANDRAIL_LEAVE_MS', 'guide/running'],
];

describe('the docs', () => {
  it('has a page for each document, and no link that leads nowhere', async () => {
    expect(pages.length).toBeGreaterThan(20);
    const ids = new Map(pages.map((page) => [page, idsIn(readFileSync(join(built, page), 'utf8'))]));
    const dead: string[] = [];
    for (const page of pages)
      for (const href of linksIn(readFileSync(join(built, page), 'utf8'))) {
        const url = new URL(href, `http://site/docs/${page}`);
        if (url.host !== 'site') continue;
        const target = url.pathname.replace(/^\/docs\/$/, '/docs/index.html').replace('/docs/', '');
        const anchor = decodeURIComponent(url.hash.slice(1));
        if (!existsSync(join(built, target)) || (anchor !== '' && ids.get(target)?.has(anchor) !== true))
          dead.push(`${page}: ${href}`);
      }
    expect(dead).toEqual([]);
  });

  it('lists every page in the sidebar', () => {
    const sidebar = JSON.parse(
      readFileSync(new URL('../../web/docs/sidebar.json', import.meta.url), 'utf8'),
    ) as readonly { readonly pages: readonly string[] }[];
    const listed = sidebar.flatMap(({ pages: names }) => names);
    const expected = pages
      .map((page) => page.replace(/\.html$/, ''))
      .filter((name) => name !== 'index' && (!name.startsWith('runbooks/') || name === 'runbooks/index'));
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });

  it('has the sections that the pages of the admin app link to', () => {
    const targets = [
      ...readFileSync(new URL('../../web/admin/src/app/page-table.ts', import.meta.url), 'utf8').matchAll(
        / docs: '([^']+)'/g,
      ),
    ].map((match) => match[1]!);
    expect(targets.length).toBeGreaterThan(20);
    const missing = targets.filter((target) => {
      const [page = '', anchor] = target.split('#');
      if (!pages.includes(page)) return true;
      return anchor !== undefined && !idsIn(readFileSync(join(built, page), 'utf8')).has(anchor);
    });
    expect(missing).toEqual([]);
  });

  it('can be searched by keyboard alone', async () => {
    const { page, trouble, close } = await openPage(browser);
    await page.goto(site);
    await page.keyboard.press('/');
    await page.keyboard.type('circuit breaker');
    await page.locator('#results a').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/guide\/limits\.html/);
    expect(trouble).toEqual([]);
    await close();
  });

  it('finds what people look for, without asking anybody else', async () => {
    const { page, trouble, close } = await openPage(browser);
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(gateway.url)) elsewhere.push(request.url());
    });
    await page.goto(site);
    const missed: string[] = [];
    for (const [query, target] of wanted) {
      await page.getByLabel('Search the docs').fill(query);
      const results = page.locator('#results a');
      await expect
        .poll(async () => (await results.evaluateAll(hrefsOf)).some((href) => href.includes(target)), {
          timeout: 20_000,
        })
        .toBe(true)
        .catch(async () => missed.push(`${query}: ${(await results.evaluateAll(hrefsOf)).join(' ')}`));
    }
    expect(missed).toEqual([]);
    expect(elsewhere).toEqual([]);
    expect(trouble).toEqual([]);
    await close();
  });

  it.each(['light', 'dark'] as const)('is sound in %s, on a desk and on a phone', async (colorScheme) => {
    for (const viewport of [
      { width: 1280, height: 860 },
      { width: 390, height: 844 },
    ]) {
      const { page, trouble, close } = await openPage(browser, { colorScheme, viewport });
      for (const name of [
        'index.html',
        'start/internal-api.html',
        'guide/deploying.html',
        'reference/metrics.html',
      ]) {
        await page.goto(`${site}${name}`);
        await page.locator('main h1').waitFor();
        expect(await axeViolations(page), `${name} at ${viewport.width}`).toEqual([]);
        expect(
          await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
          `${name} at ${viewport.width}`,
        ).toBeLessThanOrEqual(0);
      }
      expect(trouble).toEqual([]);
      await close();
    }
  });
});

const hrefsOf = (links: readonly { getAttribute(name: string): string | null }[]) =>
  links.map((link) => link.getAttribute('href') ?? '');

function linksIn(page: string): string[] {
  return [...page.matchAll(/ href="([^"]+)"/g)].map((match) => match[1]!.replaceAll('&amp;', '&'));
}

function idsIn(page: string): Set<string> {
  return new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!));
}
