import { Client, registerClient } from '@modelcontextprotocol/client';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listeningTransport } from '../support/servers/listening-client.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

let running: RunningGateway;
beforeAll(async () => {
  running = await startGateway({ demo: true });
});
afterAll(() => running.stop());

describe('a server of the gateway', () => {
  it('has a card and an entry for registries', async () => {
    const card = await fetch(`${running.url}/mcp/my-weather-tools/server-card`);
    expect(card.headers.get('content-type')).toContain('application/mcp-server-card+json');
    expect(await card.json()).toMatchObject({
      name: 'localhost/my-weather-tools',
      remotes: [{ type: 'streamable-http', url: `${running.url}/mcp/my-weather-tools` }],
    });
    const again = await fetch(`${running.url}/mcp/my-weather-tools/server-card`, {
      headers: { 'if-none-match': card.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
    const entry = (await (await fetch(`${running.url}/mcp/my-weather-tools/server.json`)).json()) as {
      $schema: string;
    };
    expect(entry.$schema).toContain('server.schema.json');
    expect((await fetch(`${running.url}/mcp/nothing/server-card`)).status).toBe(404);
  });

  it('tells a listening client of a new tool, in either era', async () => {
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client({ name: 'listener', version: '1' }, { versionNegotiation: { mode } });
      let changed!: () => void;
      const heard = new Promise<void>((resolve) => (changed = resolve));
      client.setNotificationHandler('notifications/tools/list_changed', () => changed());
      const { transport, listening } = listeningTransport(`${running.url}/mcp`);
      await client.connect(transport);
      if (mode === 'legacy') await listening;
      const subscription = mode === 'auto' ? await client.listen({ toolsListChanged: true }) : null;
      const before = (await client.listTools()).tools.length;
      await running.admin('POST', '/tools', {
        api: 'demo',
        name: `added_${mode}`,
        description: 'Added while a client was connected',
        operation: { method: 'GET', path: '/weather', parameters: [] },
      });
      await heard;
      expect((await client.listTools()).tools.length).toBe(before + 1);
      await subscription?.close();
      await client.close();
    }
  });

  it('tells a client that looks for OAuth to send a key', async () => {
    const registering = registerClient(running.url, {
      clientMetadata: { redirect_uris: ['http://127.0.0.1/cb'] },
    });
    await expect(registering).rejects.toThrow('Send an access key instead');
  });

  it('shows in the admin API what a dialect changes', async () => {
    const report = await running.admin('GET', '/servers/default/dialects/portable');
    expect(report.body).toMatchObject({ dialect: 'portable' });
    expect((await running.admin('GET', '/servers/default/dialects/klingon')).status).toBe(404);
  });

  it('answers the probes for authorization metadata with JSON', async () => {
    for (const path of [
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-authorization-server',
    ]) {
      const answer = await fetch(`${running.url}${path}`);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toContain('json');
    }
  });
});

describe('handrail stdio --url', () => {
  it('carries both eras to a gateway', async () => {
    const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
    const child = spawn(process.execPath, [main, 'stdio', '--url', `${running.url}/mcp/my-weather-tools`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (message: object) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      const { value } = (await lines.next()) as { value: string };
      return JSON.parse(value) as { id: unknown; result?: Record<string, unknown>; error?: { code: number } };
    };
    const clientInfo = { name: 'bridged', version: '1' };
    const opened = await ask({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    expect(opened.result).toMatchObject({ protocolVersion: '2025-06-18' });
    const listed = await ask({ id: 'two', method: 'tools/list' });
    expect(listed).toMatchObject({
      id: 'two',
      result: { tools: [{ name: 'get_weather' }, { name: 'read_reply' }] },
    });
    const modern = await ask({
      id: 3,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    expect(modern.result).toMatchObject({ resultType: 'complete' });
    child.stdin.write('this is not JSON\n');
    const { value } = (await lines.next()) as { value: string };
    expect(JSON.parse(value)).toMatchObject({ id: null, error: { code: -32700 } });
    child.stdin.end();
    expect((await once(child, 'exit'))[0]).toBe(0);
  });
});
