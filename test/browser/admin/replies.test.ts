import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';
import { axeViolations, startBrowser } from '../explorer/support/browser.ts';
import { type AdminApp, settled, startAdminApp } from './support/admin-app.ts';

const people = Array.from({ length: 400 }, (_, n) => ({
  id: n + 1,
  name: `Person ${n + 1}`,
  status: n % 3 === 0 ? 'away' : 'there',
  address: { street: `Long Road ${n}`, city: 'Springfield', geo: { lat: n / 7, lng: n / 9 } },
  about: 'What somebody wrote about this person, which is long. '.repeat(6),
}));
const shortened = people.map(({ id, name, status }) => ({ id, name, status }));

let browser: Browser;
let app: AdminApp;
let upstream: TestServer;
let client: Client;

beforeAll(async () => {
  browser = await startBrowser();
  app = await startAdminApp();
  upstream = await serveHttp((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://upstream');
    const json = (status: number, body: unknown, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    const page = Number(searchParams.get('page') ?? 1);
    if (pathname === '/people') json(200, { people });
    else if (pathname === '/orders')
      json(200, { orders: [{ id: page }], ...(page < 3 && { next: `/orders?page=${page + 1}` }) });
    else if (pathname === '/jobs')
      json(202, { status: 'running' }, { location: '/jobs/7', 'retry-after': '0' });
    else if (pathname === '/jobs/7') json(200, { status: 'succeeded', rows: 12 });
    else json(500, { error: 'The warehouse is closed' });
  });
  const { admin, url } = app.gateway;
  await admin('PATCH', '/settings', { egressAllow: [new URL(upstream.origin).host] });
  await admin('POST', '/apis', { slug: 'office', name: 'Office', baseUrl: upstream.origin });
  const add = async (name: string, method: string, path: string, parameters: object[] = [], more = {}) =>
    expect(
      (
        await admin('POST', '/tools', {
          api: 'office',
          name,
          description: `Does ${name}.`,
          operation: { method, path, parameters, ...more },
        })
      ).status,
    ).toBe(201);
  const page = { name: 'page', in: 'query', schema: { type: 'integer' }, required: false };
  await add('list_people', 'GET', '/people');
  await add('list_orders', 'GET', '/orders', [page]);
  await add('start_job', 'POST', '/jobs', [], { longRunning: true });
  await add('get_job', 'GET', '/jobs/{id}', [
    { name: 'id', in: 'path', schema: { type: 'string' }, required: true },
  ]);
  await add('get_broken', 'GET', '/broken');
  await admin('POST', '/servers', {
    slug: 'office',
    name: 'Office',
    tools: [{ api: 'office' }],
    mode: 'direct',
    pageArguments: true,
    selectArgument: true,
  });
  client = new Client({ name: 'reader', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/office`)));
});
afterAll(async () => {
  await client.close();
  await app.stop();
  await upstream.close();
  await browser.close();
});

async function read(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text?: string }[]).map(({ text = '' }) => text).join('\n');
}

const panel = (page: Page, name: string) =>
  page.locator('section', { has: page.getByRole('heading', { name, exact: true }) });

it('a long reply leads to a suggestion; one click applies it, another undoes it', async () => {
  expect(await read('list_people')).toContain('too much to show at once');
  const { page, trouble, close } = await app.open(browser, '/analytics');
  const proposal = panel(page, 'Shorter replies');
  await proposal.getByText(/^[\d.]+K tokens per call\. Keep 3 fields to save \d\d(\.\d)?%\.$/).waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  await proposal.getByRole('button', { name: 'Keep only these fields' }).click();
  await proposal.getByText('list_people now keeps only these fields').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(JSON.parse(await read('list_people'))).toEqual(shortened);

  await proposal.getByRole('button', { name: 'Undo' }).click();
  await proposal.getByRole('button', { name: 'Keep only these fields' }).waitFor();
  expect(await read('list_people')).toContain('too much to show at once');
  expect(trouble).toEqual([]);
  await close();
});

it('the suggestion also appears in the reply editor, and is saved and removed there', async () => {
  const { page, trouble, close } = await app.open(browser, '/tools/list_people?tab=reply');
  await page.getByRole('button', { name: 'Keep only these fields' }).click();
  const select = page.getByRole('textbox', { name: 'Select' });
  expect(await select.inputValue()).toBe('people[].{id: id, name: name, status: status}');
  await page.getByText('Only the beginning of this reply was recorded').waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  const save = page.getByRole('button', { name: 'Save' });
  await save.click();
  await save.waitFor({ state: 'detached' });
  expect(JSON.parse(await read('list_people'))).toEqual(shortened);

  await select.fill('');
  await save.click();
  await save.waitFor({ state: 'detached' });
  expect(await read('list_people')).toContain('too much to show at once');
  expect(trouble).toEqual([]);
  await close();
});

it.each([
  ['a tool', '/tools/list_people?tab=reply'],
  ['a server', '/servers/office?tab=settings'],
])('an invalid budget is rejected next to its field: %s', async (_, path) => {
  const { page, trouble, close } = await app.open(browser, path);
  const field = page.getByRole('textbox', { name: 'Maximum tokens per reply' });
  await field.fill('100');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  const told = page.getByText('must be 0 (no limit) or at least 500', { exact: true });
  expect(await field.getAttribute('aria-describedby')).toContain(await told.getAttribute('id'));
  await field.fill('600');
  await expect.poll(() => field.getAttribute('aria-invalid')).not.toBe('true');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
  expect(trouble).toEqual([]);
  await close();
});

it('pagination can be set manually, and models fetch all pages with it', async () => {
  const { page, trouble, close } = await app.open(browser, '/tools/list_orders?tab=request');
  await page.getByRole('combobox', { name: 'Pagination' }).click();
  await page.getByRole('option', { name: 'Page number' }).click();
  await page.getByRole('combobox', { name: 'Pagination argument' }).click();
  await page.getByRole('option', { name: 'page', exact: true }).click();
  await page.getByRole('textbox', { name: 'Path to the items' }).fill('orders');
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);
  const save = page.getByRole('button', { name: 'Save' });
  await save.click();
  await save.waitFor({ state: 'detached' });
  const { body } = await app.gateway.admin('GET', '/tools/list_orders');
  expect(body.operation.pagination).toEqual({ kind: 'page', parameter: 'page', items: 'orders' });
  expect(await read('list_orders', { _all: true })).toContain('[{"id":1},{"id":2},{"id":3}]');
  expect(trouble).toEqual([]);
  await close();
});

const looks = [
  ['desktop, light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
  ['phone, dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
] as const;

it.each(looks)('a call shows its pages, its job, or why it failed: %s', async (_, look) => {
  await read('list_orders', { _all: true });
  await read('start_job', { _wait: true });
  await read('get_broken');
  const newest = async (tool: string) => {
    const { body } = await app.gateway.admin('GET', `/calls?tool=${tool}&limit=50`);
    return body.items.find(({ parentId }: { parentId: string | null }) => parentId === null).id as string;
  };
  const { page, trouble, goTo, close } = await app.open(
    browser,
    `/calls/${await newest('list_orders')}`,
    look,
  );
  const looksRight = async () => {
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  };
  await page.getByText('Each page was a separate request').waitFor();
  const pages = panel(page, 'Child calls');
  await pages.getByText('The pages this reply was built from').waitFor();
  await pages.getByText(/\/orders\?page=3$/).waitFor();
  await looksRight();

  await goTo(`/calls/${await newest('start_job')}`);
  await panel(page, 'Child calls').getByText('Status checks made while waiting').waitFor();
  await looksRight();

  await goTo(`/calls/${await newest('get_broken')}`);
  await page.getByRole('alert').getByText('The warehouse is closed').waitFor();
  await page.getByRole('group', { name: 'Request' }).getByText('GET http').waitFor();
  await page.getByRole('group', { name: 'API replied' }).getByText('The warehouse is closed').waitFor();
  await page.getByRole('group', { name: 'Model received' }).getByText('The warehouse is closed').waitFor();
  await looksRight();
  expect(trouble).toEqual([]);
  await close();
});
