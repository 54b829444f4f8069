import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeHandler } from '#explorer';
import type { Content, Tool } from '#explorer';
import { axeViolations, openPage, serve, startBrowser } from './support/browser.ts';
import { answer, showcase, thousand } from './support/tools.ts';

let browser: Browser;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  await browser.close();
});

const payload = `"'><img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>[x](javascript:alert(4))`;

const hostile: Tool = {
  name: `evil${payload}`,
  title: payload,
  description: `${payload}\n\n[click](javascript:alert(5)) ![i](data:text/html,<script>alert(6)</script>) <a href="javascript:alert(7)">x</a>\n\n| ${payload} |\n|---|\n| ${payload} |\n\n\`\`\`\n${payload}\n\`\`\``,
  annotations: { readOnlyHint: true, title: payload, [payload]: payload },
  inputSchema: {
    type: 'object',
    title: payload,
    required: [payload],
    properties: {
      [payload]: {
        type: 'string',
        description: payload,
        default: payload,
        title: payload,
        examples: [payload],
      },
      choice: { enum: [payload, 'b'], default: payload, description: payload },
      either: {
        oneOf: [
          { title: payload, const: payload },
          { title: 'b', type: 'string', pattern: payload },
        ],
      },
      list: { type: 'array', items: { type: 'string' }, default: [payload] },
      __proto__: { type: 'string' },
    },
    additionalProperties: { type: 'string', description: payload },
    [payload]: payload,
  },
  outputSchema: { type: 'object', properties: { [payload]: { const: payload, description: payload } } },
};

const hostileAnswer: Content[] = [
  { type: 'text', text: payload },
  {
    type: 'text',
    text: `# ${payload}\n\n**bold** [x](javascript:alert(8)) [y](data:text/html,alert) [z](vbscript:alert)\n\n- ${payload}`,
  },
  {
    type: 'text',
    text: JSON.stringify([{ [payload]: payload, a: 1 }, { [payload]: { [payload]: payload } }]),
  },
  { type: 'image', mimeType: `image/png" onerror="alert(9)`, data: 'AAAA' },
  {
    type: 'image',
    mimeType: 'image/svg+xml',
    data: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(10)"><script>alert(11)</script></svg>',
    ).toString('base64'),
  },
  { type: 'image', mimeType: 'image/png', data: payload },
  { type: 'audio', mimeType: 'text/html', data: 'PHNjcmlwdD5hbGVydCgxMik8L3NjcmlwdD4=' },
  {
    type: 'resource_link',
    uri: 'javascript:alert(13)',
    name: payload,
    description: payload,
    mimeType: payload,
  },
  {
    type: 'resource',
    resource: {
      uri: 'javascript:alert(14)',
      mimeType: 'text/html',
      text: `<script>alert(15)</script>${payload}`,
    },
  },
  { type: payload } as unknown as Content,
];

describe('a tool that attacks with every text', () => {
  it('is only ever text: nothing runs and no policy violation occurs', async () => {
    const server = await serve([hostile], async () => [hostileAnswer, false, payload], {
      title: payload,
      projectName: payload,
      projectUrl: 'javascript:alert(16)',
    });
    const { page, trouble, close } = await openPage(browser);
    closing.push(server.close, close);
    await page.goto(server.url);
    await page.getByRole('option').first().click();
    await page.getByRole('button', { name: 'Fill in all' }).click();
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.locator('.verdict .notice').waitFor();
    for (const tab of ['Input schema', 'Output schema', 'Try it'])
      await page.getByRole('tab', { name: tab }).click();
    const execute = page.getByRole('button', { name: /Execute/ });
    await execute.click();
    if ((await page.locator('.pill').count()) === 0) await execute.click();
    await page.locator('.pill.good').waitFor();
    await page.locator('.result').getByLabel('Tree').first().check();
    for (const plain of await page.locator('.result').getByLabel('Plain text').all()) await plain.check();
    await page.getByRole('tab', { name: 'Raw MCP' }).click();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.locator('.history input').first().check();
    expect(
      await page
        .locator('body script, body iframe, body object, body embed, [onerror], [onload], [onclick], base')
        .count(),
    ).toBe(0);
    const links = (await page.evaluate('[...document.links].map((link) => link.href)')) as string[];
    expect(links.filter((href) => /^(javascript|vbscript|data:text)/i.test(href))).toEqual([]);
    expect(trouble).toEqual([]);
  });
});

describe('a result of unreasonable shape', () => {
  const shapes: [string, string][] = [
    ['thousands of marks', '`a` **b** '.repeat(20_000)],
    ['open brackets', '['.repeat(50_000)],
    ['open marks', `# x\n\n${'**a*'.repeat(20_000)}`],
    ['a line of spaces before a table', `a|b\n${' '.repeat(100_000)}x|\n`],
    ['empty lines', `- a${'\n'.repeat(100_000)}b`],
    ['JSON without end', `${'['.repeat(5_000)}1${']'.repeat(5_000)}`],
    [
      'a wide table',
      JSON.stringify(Array.from({ length: 2000 }, (_row, index) => ({ [`c${index}`]: index }))),
    ],
    ['a long list', JSON.stringify(Array.from({ length: 100_000 }, (_item, index) => index))],
  ];

  it.each(shapes)('is still shown: %s', async (_what, text) => {
    const server = await serve(
      [{ name: 'odd', description: '', inputSchema: { type: 'object' } }],
      async () => [[{ type: 'text', text }], false],
    );
    const { page, trouble, close } = await openPage(browser);
    closing.push(server.close, close);
    await page.goto(`${server.url}#/odd`);
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('Success 200').waitFor();
    expect(await page.locator('.result-body').first().textContent()).not.toBe('');
    await page.getByRole('tab', { name: 'Raw MCP' }).click();
    expect(trouble).toEqual([]);
  });
});

describe('the key', () => {
  it('is requested if the server requires one, sent with each request, and kept for this tab and server only', async () => {
    const seen: (string | undefined)[] = [];
    const handle = createNodeHandler(showcase, answer, { allowExecute: true });
    const server = createServer((request, response) => {
      // Two servers on one origin, as the gateway mounts them.
      if (request.url === '/other/') request.url = '/';
      if (request.url === '/') return handle(request, response);
      seen.push(request.headers.authorization);
      if (request.headers.authorization === 'Bearer s3cret') return handle(request, response);
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"Unauthorized"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { page, trouble, close } = await openPage(browser);
    closing.push(
      close,
      async () => void server.close(),
      async () => server.closeAllConnections(),
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await page.goto(url);
    await page.getByRole('heading', { name: 'This server requires a key' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Access key' }).fill('wrong');
    await page.getByRole('button', { name: 'Use key' }).click();
    await page.getByText('rejected this key').waitFor();
    expect(await page.locator('.head .key').textContent()).toBe('Key rejected');
    await page.getByRole('textbox', { name: 'Access key' }).fill('Bearer s3cret');
    await page.keyboard.press('Enter');
    await page.getByText('6 tools').waitFor();
    await page.getByRole('option', { name: /weather_map/ }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('Success 200').waitFor();
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'cURL' }).click();
    await page.getByText('Copied as cURL').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      "-H 'Authorization: Bearer s3cret'",
    );
    expect(seen.slice(2).every((header) => header === 'Bearer s3cret')).toBe(true);
    expect(
      await page.evaluate('JSON.stringify([{...localStorage}, document.cookie, location.href])'),
    ).not.toContain('s3cret');
    await page.reload();
    await page.getByText('6 tools').waitFor();
    const asksForKey = page.getByRole('heading', { name: 'This server requires a key' });
    const otherTab = await page.context().newPage();
    await otherTab.goto(url);
    await otherTab.getByRole('heading', { name: 'This server requires a key' }).waitFor();
    await page.goto(`${url}other/`);
    await asksForKey.waitFor();
    await page.goto(url);
    await page.getByRole('button', { name: 'Key set' }).click();
    await page.getByRole('button', { name: 'Remove key' }).click();
    await asksForKey.waitFor();
    expect(await page.evaluate('JSON.stringify({...sessionStorage})')).toBe('{}');
    expect(trouble).toEqual([]);
  });
});

describe('axe-core finds nothing wrong', () => {
  const looks = [
    {
      name: 'desktop, light',
      options: { viewport: { width: 1280, height: 860 }, colorScheme: 'light' as const },
    },
    {
      name: 'desktop, dark',
      options: { viewport: { width: 1280, height: 860 }, colorScheme: 'dark' as const },
    },
    {
      name: 'phone, light',
      options: { viewport: { width: 390, height: 844 }, colorScheme: 'light' as const },
    },
    { name: 'phone, dark', options: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const } },
  ];

  it.each(looks)('$name', async ({ options }) => {
    const server = await serve(showcase, answer, {
      title: 'Weather',
      projectName: 'Acme',
      projectUrl: 'https://example.org',
    });
    const { page, close } = await openPage(browser, options);
    closing.push(server.close, close);
    await page.goto(server.url);
    await page.getByText('6 tools').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    for (const tool of ['orders_create', 'weather_forecast', 'weather_map', 'report', 'orders_delete']) {
      await page.goto(`${server.url}#/${tool}`);
      await page.getByRole('heading', { name: tool, exact: true }).waitFor();
      await page.getByRole('button', { name: 'Validate' }).click();
      await page.locator('.verdict .notice').waitFor();
      await page.getByRole('button', { name: 'Execute' }).click();
      const again = page.getByRole('button', { name: 'Execute anyway' });
      if ((await again.count()) > 0) await again.click();
      if (tool === 'orders_delete') {
        await page.getByRole('alertdialog').waitFor();
        expect(await axeViolations(page)).toEqual([]);
        await page.getByRole('alertdialog').getByRole('button', { name: 'Execute' }).click();
      }
      await page.locator('.result .pill:not(.running)').waitFor();
      expect(await axeViolations(page)).toEqual([]);
    }
    await page.getByRole('tab', { name: 'History' }).click();
    const boxes = page.locator('.history input');
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    expect(await axeViolations(page)).toEqual([]);
    await page.goto(`${server.url}#/weather_forecast`);
    await page.getByRole('heading', { name: 'weather_forecast', exact: true }).waitFor();
    for (const tab of ['Input schema', 'Output schema']) {
      await page.getByRole('tab', { name: tab }).click();
      expect(await axeViolations(page)).toEqual([]);
    }
  });

  it('a thousand tools, searched', async () => {
    const server = await serve(thousand, answer);
    const { page, close } = await openPage(browser);
    closing.push(server.close, close);
    await page.goto(server.url);
    await page.getByText('1,000 tools').waitFor();
    await page.getByRole('combobox').fill('operation 7');
    expect(await axeViolations(page)).toEqual([]);
  });
});
