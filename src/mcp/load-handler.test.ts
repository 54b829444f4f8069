import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listedTool, modern, post, serverView, startSurface } from '../../test/support/mcp-surface.ts';
import type { Surface } from '../../test/support/mcp-surface.ts';

describe('the MCP surface before it is loaded', () => {
  let surface: Surface;
  beforeEach(async () => {
    surface = await startSurface({ views: [serverView('demo', [listedTool('one')])], unloaded: true });
  });
  afterEach(() => surface.stop());

  it('answers each of the requests that come at once', async () => {
    const ids = [1, 2, 3];
    const answers = await Promise.all(
      ids.map((id) => {
        const { body, headers } = modern('tools/call', { name: 'one', arguments: {} }, id);
        return post(surface.url('demo'), body, headers);
      }),
    );
    expect(answers.map(({ json }) => json.id)).toEqual(ids);
    expect(surface.calls).toHaveLength(3);
  });

  it('keeps nobody listening who comes after it was told to stop', async () => {
    surface.handler.endListening();
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    const opened = await post(surface.url('demo'), { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const stream = await fetch(surface.url('demo'), {
      headers: { accept: 'text/event-stream', 'mcp-session-id': opened.headers.get('mcp-session-id')! },
    });
    expect(await stream.text()).not.toContain('data: {');
  });

  it('closes without having been asked', async () => {
    await expect(surface.handler.close()).resolves.toBeUndefined();
  });
});
