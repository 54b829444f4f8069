import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addDemoTool, serveHandrail, type ServingProcess, spawnHandrail } from '../support/command.ts';
import { lastingPort } from '../support/servers/lasting-port.mjs';

const token = 'bridge-token-0123456789';
let folder: string;
let serving: ServingProcess;
let address: string;

const start = (port: number) =>
  serveHandrail(['--data-dir', join(folder, 'data'), '--port', String(port)], {
    HANDRAIL_ADMIN_TOKEN: token,
  });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handrail-bridge-'));
  // It is started again on the same port, which has to be free then.
  serving = await start(await lastingPort());
  address = serving.url;
});
afterEach(async () => {
  serving.child.kill('SIGKILL');
  await serving.exited;
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function kill(): Promise<void> {
  serving.child.kill('SIGKILL');
  await serving.exited;
}

async function startAgain(): Promise<void> {
  serving = await start(Number(new URL(address).port));
}

type Answer = {
  id?: unknown;
  method?: string;
  result?: Record<string, unknown>;
  error?: { message: string };
};

/** The bridge as a client runs it: lines in, lines out, each of them a message. */
function startBridge() {
  const child = spawnHandrail(['stdio', '--url', `${address}/mcp`]);
  const read: Answer[] = [];
  const waiting: (() => void)[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    read.push(JSON.parse(line) as Answer);
    for (const look of waiting.splice(0)) look();
  });
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const next = async (matches: (answer: Answer) => boolean): Promise<Answer> => {
    for (;;) {
      const at = read.findIndex(matches);
      if (at !== -1) return read.splice(at, 1)[0]!;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const send = (message: object) =>
    void child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    child,
    send,
    next,
    unread: () => read,
    stderr: () => stderr,
    ask: (id: number | string, method: string, params: object = {}) => {
      send({ id, method, params });
      return next((answer) => answer.id === id);
    },
    async end() {
      child.stdin!.end();
      expect((await once(child, 'exit'))[0]).toBe(0);
    },
  };
}

const legacyOpening = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bridged', version: '1' },
};
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

const isNews = (answer: Answer) => answer.method === 'notifications/tools/list_changed';

const addTool = (name: string) => addDemoTool(serving.url, token, name);

/** Adds tools until the client hears of one: whether it listens shows only in that. */
async function addToolsUntilHeard(bridge: ReturnType<typeof startBridge>): Promise<void> {
  const hearing = bridge.next(isNews).then(() => true);
  for (let n = 0; ; n++) {
    await addTool(`added_${n}_${process.hrtime.bigint()}`);
    const patience = new Promise<boolean>((resolve) => setTimeout(resolve, 300, false));
    if (await Promise.race([hearing, patience])) return;
  }
}

it('waits for a gateway that restarts, and says what became of a call that was under way', async () => {
  const bridge = startBridge();
  await bridge.ask(1, 'initialize', legacyOpening);
  bridge.send({ method: 'notifications/initialized' });
  await addToolsUntilHeard(bridge);
  const underWay = bridge.ask(2, 'tools/call', { name: 'demo_slow', arguments: { seconds: 20 } });
  await bridge.ask('listed before', 'tools/list');
  await kill();
  // It may have been carried out, so that it is not sent twice.
  expect((await underWay).error?.message).toContain('cannot be reached');
  const whileAway = bridge.ask(3, 'tools/list');
  const callWhileAway = bridge.ask(4, 'tools/call', {
    name: 'weather_get',
    arguments: { location: 'Paris' },
  });
  await startAgain();
  expect((await whileAway).result).toHaveProperty('tools');
  expect((await callWhileAway).result).toHaveProperty('content');
  // The stream for news comes back as well, and tells the client to look again.
  await bridge.next(isNews);
  await addTool('added_after_the_restart');
  await bridge.next(isNews);
  expect(JSON.stringify(await bridge.ask(5, 'tools/list'))).toContain('added_after_the_restart');
  await bridge.end();
});

it('goes on listening for a modern client over a restart, until the client cancels', async () => {
  const bridge = startBridge();
  bridge.send({
    id: 'news',
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: meta },
  });
  await bridge.next((answer) => answer.method === 'notifications/subscriptions/acknowledged');
  await kill();
  await startAgain();
  await addToolsUntilHeard(bridge);
  expect(bridge.unread().some((answer) => answer.method?.includes('acknowledged'))).toBe(false);
  bridge.send({ method: 'notifications/cancelled', params: { requestId: 'news' } });
  expect((await bridge.ask(2, 'tools/list', { _meta: meta })).result).toHaveProperty('tools');
  await bridge.end();
});

it('refuses a line that is too long, and reads on', async () => {
  const bridge = startBridge();
  bridge.child.stdin!.write(`${'x'.repeat(5 * 1024 * 1024)}\n`);
  const refused = await bridge.next((answer) => answer.error !== undefined);
  expect(refused).toMatchObject({ id: null, error: { code: -32700 } });
  expect((await bridge.ask(1, 'tools/list', { _meta: meta })).result).toHaveProperty('tools');
  await bridge.end();
});
