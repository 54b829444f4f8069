import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createHandler } from '../dist/index.js';
import type { UIConfig } from '../dist/index.js';

async function page(config: UIConfig = {}) {
  const answer = await createHandler([], async () => [[], false], config)(new Request('http://localhost/'));
  return { html: await answer.text(), headers: answer.headers, status: answer.status };
}

describe('the page', () => {
  it('is one HTML document of less than 100 kB gzipped', async () => {
    const { html, headers, status } = await page();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(gzipSync(html).byteLength).toBeLessThan(100_000);
  });

  it('makes no request to anywhere else', async () => {
    const { html } = await page();
    expect(html.match(/<(?:script|link|img|iframe)[^>]+(?:src|href)="(?!data:)[^"]*"/g)).toBeNull();
    expect(html).not.toMatch(/@import|url\(/);
    expect(html).not.toMatch(/\son[a-z]+="/);
  });

  it('allows exactly its own script and style by their hashes', async () => {
    const { html, headers } = await page({ title: 'Any title', allowExecute: true });
    const policy = headers.get('content-security-policy') ?? '';
    for (const tag of ['script', 'style']) {
      const blocks = [...html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))];
      expect(blocks).toHaveLength(1);
      const hash = createHash('sha256')
        .update(blocks[0]?.[1] ?? '')
        .digest('base64');
      expect(policy).toContain(`${tag}-src 'sha256-${hash}'`);
    }
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  it('shows the title, or a default', async () => {
    expect((await page({ title: 'My tools' })).html).toContain('<title>My tools</title>');
    expect((await page({ title: 'My tools' })).html).not.toContain('MCP Tool Explorer');
    expect((await page()).html).toContain('<title>MCP Tool Explorer</title>');
  });

  it('escapes title and project name, and treats replacement patterns literally', async () => {
    const text = `<script>alert(1)</script> "A" & 'B' $& $1 $\``;
    const { html } = await page({ title: text, projectName: text });
    expect(html).not.toContain('<script>alert');
    expect(html).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt; &quot;A&quot; &amp; &#x27;B&#x27; $&amp; $1 $`',
    );
  });

  it.each([
    ['https://example.org/x?a=1&b=2', 'https://example.org/x?a=1&amp;b=2'],
    ['HTTP://example.org', 'HTTP://example.org'],
    ['mailto:someone@example.org', 'mailto:someone@example.org'],
    ['/docs/index.html', '/docs/index.html'],
  ])('links the project to %j', async (projectUrl, href) => {
    expect((await page({ projectName: 'Acme & co', projectUrl })).html).toContain(
      ` &middot; <a href="${href}" target="_blank" rel="noopener noreferrer">Acme &amp; co</a></span>`,
    );
  });

  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'not a url',
    'https://',
    '',
  ])('names the project and makes no link of its address %j', async (projectUrl) => {
    const { html } = await page({ projectName: 'Acme', projectUrl });
    expect(html).toContain('<span id="project" class="project"> &middot; Acme</span>');
    expect(html).not.toContain('<a ');
  });

  it('shows no project without a name, and no link without a URL', async () => {
    const nothing = '<span id="project" class="project"></span>';
    expect((await page()).html).toContain(nothing);
    expect((await page({ projectUrl: 'javascript:alert(1)' })).html).toContain(nothing);
    expect((await page({ projectUrl: 'https://example.org' })).html).toContain('>https://example.org</a>');
  });

  it('passes on whether tools can be executed', async () => {
    expect((await page()).html).toContain('data-allow-execute="false"');
    expect((await page({ allowExecute: true })).html).toContain('data-allow-execute="true"');
  });
});
