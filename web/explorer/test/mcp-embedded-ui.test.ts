import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  buildMcpUIRoutes,
  buildUIRoutes,
  createHandler,
  EXPLORER_HTML_TEMPLATE,
  renderExplorerHtml,
} from '../dist/index.js';
import type { Tool, ToolCallHandler, UIConfig } from '../dist/index.js';

const tools: Tool[] = [{ name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } }];
const handleCall: ToolCallHandler = async (name, args) => [
  [{ type: 'text', text: `${name} ${JSON.stringify(args)}` }],
  false,
];

afterEach(() => void vi.restoreAllMocks());

describe('callers of mcp-embedded-ui', () => {
  it('get the five routes from buildMcpUIRoutes, and a deprecation warning', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const routes = buildMcpUIRoutes(tools, handleCall, { allowExecute: true });
    expect(warn.mock.calls).toEqual([[expect.stringContaining('buildUIRoutes')]]);
    expect(routes.map(({ method, pattern }) => [method, pattern])).toEqual(
      buildUIRoutes(tools, handleCall).map(({ method, pattern }) => [method, pattern]),
    );
    const call = routes.find(({ pattern }) => pattern === '/tools/:name/call');
    const answer = await call?.handler({ headers: {}, body: { a: 1 } }, { name: 'echo' });
    expect(await answer?.json()).toEqual({
      content: [{ type: 'text', text: 'echo {"a":1}' }],
      isError: false,
    });
  });

  it('have execution disabled by default', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const call = buildMcpUIRoutes(tools, handleCall).find(({ pattern }) => pattern === '/tools/:name/call');
    expect((await call?.handler({ headers: {} }, { name: 'echo' }))?.status).toBe(403);
  });

  it.each<[parameters: Parameters<typeof renderExplorerHtml>, config: UIConfig]>([
    [[], {}],
    [['My tools'], { title: 'My tools' }],
    [['My tools', true], { title: 'My tools', allowExecute: true }],
    [[undefined, false, 'Acme'], { projectName: 'Acme' }],
    [
      [`<b>"A" & 'B'</b> $& {{PROJECT_LINK}}`, true, '<i>{{TITLE}}</i>', 'https://example.org/?a=1&b=2'],
      {
        title: `<b>"A" & 'B'</b> $& {{PROJECT_LINK}}`,
        allowExecute: true,
        projectName: '<i>{{TITLE}}</i>',
        projectUrl: 'https://example.org/?a=1&b=2',
      },
    ],
  ])(
    'renderExplorerHtml(%j) is the page that is served with the same settings',
    async (parameters, config) => {
      const served = await createHandler(tools, handleCall, config)(new Request('http://localhost/'));
      expect(renderExplorerHtml(...parameters)).toBe(await served.text());
    },
  );

  it('can fill in EXPLORER_HTML_TEMPLATE by hand', () => {
    const filled = EXPLORER_HTML_TEMPLATE.replaceAll('{{TITLE}}', 'By hand')
      .replaceAll('{{ALLOW_EXECUTE}}', 'true')
      .replaceAll('{{PROJECT_LINK}}', ' &middot; Acme');
    expect(filled).toBe(renderExplorerHtml('By hand', true, 'Acme'));
    expect(filled).not.toContain('{{');
  });
});
