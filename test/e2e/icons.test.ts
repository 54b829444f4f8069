import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern } from '../support/mcp-surface.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

describe('a picture that is kept in a server’s settings', () => {
  const bytes = Buffer.alloc(200_000, 7);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>x()</script></svg>';
  let at: TestGateway;
  let url: string;

  beforeAll(async () => {
    at = await startGateway({ demo: true });
    url = await at.gateway.listen();
    const icons = [
      { src: `data:image/png;base64,${bytes.toString('base64')}`, sizes: ['512x512'] },
      { src: `data:image/svg+xml,${encodeURIComponent(svg)}` },
      { src: 'https://example.com/i.png' },
    ];
    const { statusCode } = await at.request('PATCH', '/api/v1/servers/default', { icons });
    expect(statusCode).toBe(200);
  });
  afterAll(() => at.close());

  async function answer(method: string, params: Record<string, unknown> = {}) {
    const { body, headers } = modern(method, params);
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return response.text();
  }

  const iconsIn = (text: string) =>
    (
      JSON.parse(text) as {
        result: {
          _meta: { 'io.modelcontextprotocol/serverInfo': { icons: { src: string; mimeType: string }[] } };
        };
      }
    ).result._meta['io.modelcontextprotocol/serverInfo'].icons;

  it.each([
    ['server/discover', {}],
    ['tools/call', { name: 'weather_get', arguments: { location: 'Lima' } }],
    ['tools/call', { name: 'weather_get', arguments: { location: 'Lima' }, _meta: { progressToken: 1 } }],
  ])('is told by its address in the answer to %s %j', async (method, params) => {
    const text = await answer(method, params);
    expect(text.length).toBeLessThan(10_000);
    const data = text.startsWith('{') ? text : text.split('data: ').at(-1)!;
    expect(iconsIn(data).map(({ src }) => src)).toEqual([
      expect.stringMatching(new RegExp(`^${url}/icons/[\\w-]{32}\\.png$`)),
      expect.stringMatching(new RegExp(`^${url}/icons/[\\w-]{32}\\.svg$`)),
      'https://example.com/i.png',
    ]);
  });

  it('is served there, and does nothing', async () => {
    const [png, drawn] = iconsIn(await answer('server/discover'));
    const picture = await fetch(png!.src);
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(picture.headers.get('cache-control')).toContain('immutable');
    expect(Buffer.from(await picture.arrayBuffer()).equals(bytes)).toBe(true);
    const drawing = await fetch(drawn!.src);
    expect(drawing.headers.get('content-security-policy')).toContain('sandbox');
    expect(await drawing.text()).toBe(svg);
    expect((await fetch(`${url}/icons/nothing.png`)).status).toBe(404);
  });

  it('is left out of an entry for registries without HTTPS', async () => {
    const entry = (await (await fetch(`${url}/mcp/server.json`)).json()) as { icons: unknown };
    expect(entry.icons).toEqual([{ src: 'https://example.com/i.png' }]);
  });
});
