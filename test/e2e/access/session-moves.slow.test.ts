import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addDemoTool, runHandrail, serveHandrail, type ServingProcess } from '../../support/command.ts';
import { listeningTransport } from '../../support/servers/listening-client.ts';
import { createDatabase } from '../../support/postgres/postgres.ts';
import { startTcpSwitch, type TcpSwitch } from '../../support/servers/tcp-switch.ts';

const token = 'session-moves-token-0123456789';
const started: ServingProcess[] = [];
let folder: string;
let address: TcpSwitch;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handrail-moves-'));
});
afterEach(async () => {
  await address?.stop();
  for (const { child, exited } of started.splice(0)) {
    child.kill('SIGKILL');
    await exited;
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function serve(args: readonly string[], env: Record<string, string> = {}): Promise<ServingProcess> {
  const serving = await serveHandrail(['--demo', ...args], { HANDRAIL_ADMIN_TOKEN: token, ...env });
  started.push(serving);
  return serving;
}

/** Kills a gateway, and waits until the client has seen that its connections are gone. */
async function kill({ child, exited }: ServingProcess): Promise<void> {
  const ended = address.ended();
  child.kill('SIGKILL');
  await Promise.all([exited, ended]);
}

const addTool = ({ url }: ServingProcess, name: string) => addDemoTool(url, token, name);

/** A client of the official library in a legacy revision that listens, and how to wait for its next news of changed tools. */
async function openSession(url: string) {
  const client = new Client({ name: 'mover', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  let waiting: (() => void)[] = [];
  let news = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    news++;
    for (const wake of waiting.splice(0)) wake();
  });
  const { transport, listening } = listeningTransport(`${url}/mcp`, {
    reconnectionOptions: {
      initialReconnectionDelay: 100,
      maxReconnectionDelay: 500,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 50,
    },
  });
  await client.connect(transport);
  await listening;
  return {
    client,
    sessionId: () => transport.sessionId,
    /** Waits until the client has heard of a change and lists this tool. */
    async hears(name: string) {
      for (;;) {
        const before = news;
        if ((await client.listTools()).tools.some((tool) => tool.name === name)) break;
        if (news === before) await new Promise<void>((resolve) => waiting.push(resolve));
      }
      expect(news).toBeGreaterThan(0);
    },
    news: () => news,
    nextNews: () => new Promise<void>((resolve) => waiting.push(resolve)),
    async newsSince(count: number) {
      for (;;) {
        if (news > count) return;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    async calls() {
      const { content, isError } = await client.callTool({
        name: 'weather_get',
        arguments: { location: 'Paris' },
      });
      expect(isError ?? false).toBe(false);
      return content;
    },
  };
}

describe('a legacy session', () => {
  it('goes on at another instance on PostgreSQL when its own is killed', async () => {
    const shared = {
      DATABASE_URL: await createDatabase(),
      HANDRAIL_SECRET_KEY: randomBytes(32).toString('base64'),
    };
    const first = await serve([], shared);
    const [second, third] = await Promise.all([serve([], shared), serve([], shared)]);
    address = await startTcpSwitch(first.url);
    const session = await openSession(address.url);
    const id = session.sessionId();
    expect(id).toBeTruthy();
    const answer = await session.calls();

    const newsBefore = session.news();
    address.pointTo(second.url);
    await kill(first);
    expect(await session.calls()).toEqual(answer);
    expect((await session.client.listTools()).tools.length).toBeGreaterThan(1);
    expect(session.sessionId()).toBe(id);

    // Its stream comes back by itself; what it hears there tells that it is open.
    await session.newsSince(newsBefore);
    for (const [where, name] of [
      [second, 'added_at_the_second'],
      [third, 'added_at_the_third'],
    ] as const) {
      const heard = session.nextNews();
      await addTool(where, name);
      await heard;
      await session.hears(name);
    }
    expect(session.sessionId()).toBe(id);
    await session.client.close();
  });

  it('goes on when the gateway is killed and started again on its data folder', async () => {
    const args = ['--data-dir', join(folder, 'data')];
    const before = await serve(args);
    address = await startTcpSwitch(before.url);
    const session = await openSession(address.url);
    const id = session.sessionId();
    const answer = await session.calls();
    await kill(before);
    const after = await serve(args);
    address.pointTo(after.url);
    expect(await session.calls()).toEqual(answer);
    expect(session.sessionId()).toBe(id);
    await session.client.close();
  });
});

it('tells a listening client what another process changed in the same data folder', async () => {
  const dataDir = join(folder, 'data');
  const serving = await serve(['--data-dir', dataDir]);
  address = await startTcpSwitch(serving.url);
  const session = await openSession(address.url);
  const before = (await session.client.listTools()).tools.length;
  const heard = session.nextNews();
  const { code, stderr } = await runHandrail(['tools', 'disable', 'weather_get', '--data-dir', dataDir]);
  expect(code, stderr).toBe(0);
  await heard;
  expect((await session.client.listTools()).tools.length).toBe(before - 1);
  await session.client.close();
});
