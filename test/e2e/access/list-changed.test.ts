import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../support/postgres/postgres.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';

const toolsChanged = 'notifications/tools/list_changed';

/** A stream of events, and the methods of the messages on it as they are read. */
class Listener {
  readonly heard: string[] = [];
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #gone: AbortController;
  #rest = '';

  constructor(answer: Response, gone: AbortController) {
    this.#reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    this.#gone = gone;
  }

  /** Reads on until a message of this method is there that nobody waited for. */
  async next(method: string): Promise<string> {
    for (;;) {
      const at = this.heard.indexOf(method);
      if (at >= 0) {
        this.heard.splice(0, at + 1);
        return method;
      }
      const { value, done } = await this.#reader.read();
      if (done) throw new Error(`the stream ended before ${method}`);
      this.#rest += value;
      const events = this.#rest.split('\n\n');
      this.#rest = events.pop()!;
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (data !== undefined) this.heard.push((JSON.parse(data) as { method?: string }).method ?? 'answer');
      }
    }
  }

  close(): void {
    this.#gone.abort();
  }
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function listenLegacy(url: string, session: string): Promise<Listener> {
  const gone = new AbortController();
  const answer = await fetch(`${url}/mcp`, {
    headers: { accept: 'text/event-stream', 'mcp-session-id': session },
    signal: gone.signal,
  });
  expect(answer.status).toBe(200);
  return new Listener(answer, gone);
}

async function openSession(url: string): Promise<string> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }),
  });
  await answer.text();
  return answer.headers.get('mcp-session-id')!;
}

async function listenModern(url: string): Promise<Listener> {
  const gone = new AbortController();
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...json, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
    signal: gone.signal,
  });
  expect(answer.status).toBe(200);
  const listener = new Listener(answer, gone);
  await listener.next('notifications/subscriptions/acknowledged');
  return listener;
}

describe.each(['sqlite', 'postgres'] as const)('who listens to a gateway on %s', (kind) => {
  let shared: Record<string, unknown>;
  let folder: string;
  const running = new Set<RunningGateway>();
  const listeners: Listener[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'handrail-listen-'));
    shared =
      kind === 'sqlite'
        ? { dataDir: join(folder, 'data') }
        : {
            dataDir: join(folder, 'data'),
            databaseUrl: await createDatabase(),
            secretKey: randomBytes(32).toString('base64'),
          };
    const at = await start();
    await at.admin('PATCH', '/servers/default', { policy: 'open' });
    await at.admin('POST', '/apis', { slug: 'one', baseUrl: 'https://one.example.com' });
    await stop(at);
  });
  afterEach(async () => {
    for (const listener of listeners.splice(0)) listener.close();
    for (const at of running) await stop(at);
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  async function start(): Promise<RunningGateway> {
    const at = await startGateway(shared);
    running.add(at);
    return at;
  }
  async function stop(at: RunningGateway): Promise<void> {
    running.delete(at);
    await at.stop();
  }
  const keep = async (opening: Promise<Listener>) => {
    const listener = await opening;
    listeners.push(listener);
    return listener;
  };
  let tools = 0;
  async function addTool(at: RunningGateway): Promise<void> {
    const made = await at.admin('POST', '/tools', {
      api: 'one',
      name: `tool_${tools++}`,
      description: 'Does it.',
      operation: { method: 'GET', path: '/x' },
    });
    expect(made.status).toBe(201);
  }

  it('hears of a change that was made while the gateway was away', async () => {
    const before = await start();
    const session = await openSession(before.url);
    const old = [await keep(listenLegacy(before.url, session)), await keep(listenModern(before.url))];
    for (const listener of old) listener.close();
    await stop(before);

    // As a command on the data folder does it.
    const meanwhile = await start();
    await addTool(meanwhile);
    await stop(meanwhile);

    const after = await start();
    const legacy = await keep(listenLegacy(after.url, session));
    const modern = await keep(listenModern(after.url));
    expect(await legacy.next(toolsChanged)).toBe(toolsChanged);
    expect(await modern.next(toolsChanged)).toBe(toolsChanged);
  });

  it('hears of it once: a session that began later and a stream that was open have nothing to hear', async () => {
    const at = await start();
    const session = await openSession(at.url);
    const first = await keep(listenLegacy(at.url, session));
    await addTool(at);
    await first.next(toolsChanged);
    const later = await keep(listenLegacy(at.url, await openSession(at.url)));
    const marker = await at.admin('PATCH', '/servers/default', {
      prompts: [{ name: `p${tools}`, arguments: [], text: 'x' }],
    });
    expect(marker.status).toBe(200);
    for (const listener of [first, later]) {
      await listener.next('notifications/prompts/list_changed');
      expect(listener.heard).toEqual([]);
    }
  });

  it('hears of a change that came while its stream was lost, also without saying where it left off', async () => {
    const at = await start();
    const session = await openSession(at.url);
    const listener = await keep(listenLegacy(at.url, session));
    const witness = await keep(listenLegacy(at.url, await openSession(at.url)));
    listener.close();
    // The gateway has noticed once it lets another stream of the session in.
    let again: Response;
    const probe = new AbortController();
    do {
      again = await fetch(`${at.url}/mcp`, {
        headers: { accept: 'text/event-stream', 'mcp-session-id': session },
        signal: probe.signal,
      });
    } while (again.status === 409);
    probe.abort();
    await addTool(at);
    await witness.next(toolsChanged);
    let back: Listener | null = null;
    while (back === null) back = await listenLegacy(at.url, session).catch(() => null);
    listeners.push(back);
    expect(await back.next(toolsChanged)).toBe(toolsChanged);
  });

  it.runIf(kind === 'postgres')(
    'hears of a change that another instance made and told others of',
    async () => {
      const [mine, other] = [await start(), await start()];
      const session = await openSession(mine.url);
      (await keep(listenLegacy(mine.url, session))).close();
      (await keep(listenModern(mine.url))).close();
      await stop(mine);
      const witness = await keep(listenModern(other.url));
      await addTool(other);
      await witness.next(toolsChanged);
      const back = await start();
      expect(await (await keep(listenLegacy(back.url, session))).next(toolsChanged)).toBe(toolsChanged);
      expect(await (await keep(listenModern(back.url))).next(toolsChanged)).toBe(toolsChanged);
      expect(await (await keep(listenModern(other.url))).next(toolsChanged)).toBe(toolsChanged);
    },
  );
});
