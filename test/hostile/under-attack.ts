import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EchoUpstream, startEcho } from '../support/servers/echo-upstream.ts';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const insideGateway = new URL('./inside-gateway.mjs', import.meta.url).href;
const adminToken = 'hostile-admin-token-0123456789';
/** A secret that must never leave the gateway in an answer. */
export const canarySecret = 'canary-7f3a9c51e2d84b60';

/** A gateway in a process of its own, with an API that echoes, and one that answers with whatever bytes it is told. */
export interface UnderAttack {
  readonly url: string;
  readonly port: number;
  readonly adminToken: string;
  readonly echo: EchoUpstream;
  /** What the API answers next. */
  answerWith(bytes: Buffer | string, thenHang: boolean): void;
  readonly isAlive: () => boolean;
  /** What it wrote to its log. */
  readonly log: () => string;
  /** Processor time of the busiest turn of its main thread since this was last asked. */
  busiestTurnMs(): Promise<number>;
  /** Resolves when it has nothing more to do for a while. */
  settled(): Promise<void>;
  /** What it holds, in MB, once the collector has run. */
  memory(): Promise<HeldMemory>;
  admin(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }>;
  stop(): Promise<void>;
}

/** What a process holds, in megabytes. */
export interface HeldMemory {
  /** Objects, and bytes outside the heap that objects hold. */
  readonly heldMb: number;
  readonly residentMb: number;
}

export async function startUnderAttack(): Promise<UnderAttack> {
  const echo = await startEcho();
  const raw = await startRawApi();
  const dataDir = await mkdtemp(join(tmpdir(), 'handrail-hostile-'));
  const child = spawn(
    process.execPath,
    [
      '--expose-gc',
      '--import',
      insideGateway,
      main,
      'serve',
      '--port',
      '0',
      '--json',
      '--no-demo',
      '--data-dir',
      dataDir,
      '--egress-allow',
      `${echo.host},127.0.0.1:${raw.port}`,
    ],
    {
      env: { ...process.env, HANDRAIL_ADMIN_TOKEN: adminToken, HANDRAIL_LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  let log = '';
  child.stderr!.on('data', (chunk: Buffer) => (log = `${log}${chunk.toString()}`.slice(-200_000)));
  const url = await listening(child);
  const at: UnderAttack = {
    url,
    port: Number(new URL(url).port),
    adminToken,
    echo,
    answerWith: raw.answerWith,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    log: () => log,
    async busiestTurnMs() {
      return (await askInside<{ busiestMs: number }>(child, 'turn')).busiestMs;
    },
    async settled() {
      for (;;) if ((await askInside<{ usedMs: number }>(child, 'rest')).usedMs < 20) return;
    },
    async memory() {
      const { heapUsed, external, rss } = await askInside<NodeJS.MemoryUsage>(child, 'memory');
      return { heldMb: (heapUsed + external) / 1_048_576, residentMb: rss / 1_048_576 };
    },
    async admin(method, path, body) {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${adminToken}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    },
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      if (at.isAlive()) await gone;
      await echo.close();
      await raw.close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  await register(at, echo.origin, `http://127.0.0.1:${raw.port}`);
  return at;
}

async function register(at: UnderAttack, echoOrigin: string, rawOrigin: string): Promise<void> {
  const place = (name: string, more: object = {}) => ({
    name,
    in: name,
    key: name === 'header' ? 'X-Value' : name,
    schema: { type: 'string' },
    required: name === 'path',
    ...more,
  });
  const body = (name: string, schema: object) => ({ name, in: 'body', schema, required: false });
  const steps: [string, string, unknown][] = [
    ['POST', '/apis', { slug: 'hostile', baseUrl: `${echoOrigin}/base/v1`, auth: { kind: 'bearer' } }],
    ['POST', '/credentials', { api: 'hostile', fields: { token: canarySecret } }],
    [
      'POST',
      '/apis',
      {
        slug: 'raw',
        baseUrl: rawOrigin,
        limits: {
          totalTimeoutMs: 2_000,
          firstByteTimeoutMs: 2_000,
          retries: 0,
          breakerFailures: 0,
          maxRedirects: 3,
        },
      },
    ],
    [
      'POST',
      '/tools',
      {
        api: 'hostile',
        name: 'probe',
        description: 'Echoes what it is sent',
        scrubArguments: 'redact',
        operation: {
          method: 'POST',
          path: '/items/{path}/detail',
          parameters: [
            ...['path', 'query', 'header', 'cookie', 'body'].map((name) => place(name)),
            body('object', { type: 'object' }),
            body('list', { type: 'array' }),
            body('union', { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } }),
            body('unique', { type: 'array', uniqueItems: true }),
            body('pattern', { type: 'string', pattern: '^(a+)+$' }),
            body('url', { type: 'string', format: 'url' }),
            body('date', { type: 'string', format: 'date-time' }),
            body('file', { type: 'string', format: 'byte' }),
          ],
        },
      },
    ],
    [
      'POST',
      '/tools',
      {
        api: 'raw',
        name: 'raw',
        description: 'Answers with whatever it is told',
        operation: { method: 'GET', path: '/' },
      },
    ],
    [
      'POST',
      '/tools',
      {
        api: 'raw',
        name: 'shaped',
        description: 'Answers with a part of whatever it is told',
        reply: { select: '@', maxBytes: 100_000, wrapUntrusted: true, phrases: 'redact' },
        operation: { method: 'GET', path: '/' },
      },
    ],
    [
      'POST',
      '/tools',
      {
        api: 'hostile',
        name: 'canary',
        description: 'Answers at once',
        operation: { method: 'GET', path: '/canary' },
      },
    ],
    [
      'POST',
      '/apis',
      {
        slug: 'guarded',
        baseUrl: `${echoOrigin}/guarded`,
        headers: { 'X-Tenant': 'acme', Cookie: 'session=ours' },
        auth: { kind: 'api-key', in: 'query', name: 'api_key' },
      },
    ],
    ['POST', '/credentials', { api: 'guarded', fields: { value: canarySecret } }],
    [
      'POST',
      '/tools',
      {
        api: 'guarded',
        name: 'guarded',
        description: 'Has inputs beside what its operator set',
        operation: {
          method: 'POST',
          path: '/',
          parameters: [
            { name: 'filter', in: 'query', schema: {}, required: false },
            {
              name: 'raw',
              in: 'query',
              schema: {},
              required: false,
              style: 'querystring',
              allowReserved: true,
            },
            { name: 'prefs', in: 'cookie', schema: {}, required: false },
            { name: 'preset', in: 'body', key: 'user_kind', schema: {}, required: false, fixed: 'reader' },
            ...Object.entries({
              tenant: 'x_tenant',
              forwardedFor: 'X-Forwarded-For',
              override: 'X-HTTP-Method-Override',
              cookieHeader: 'Cookie',
              authorization: 'Authorization',
              realIp: 'X-Real-IP',
            }).map(([name, key]) => ({ name, in: 'header', key, schema: {}, required: false })),
          ],
          body: { mediaType: 'application/json', shape: 'fields', open: true },
        },
      },
    ],
    [
      'POST',
      '/apis',
      {
        slug: 'disclosing',
        baseUrl: rawOrigin,
        auth: { kind: 'bearer' },
        limits: { totalTimeoutMs: 20_000, retries: 0, breakerFailures: 0 },
        piiRules: [
          ...['card', 'iban', 'email', 'phone'].map((find) => ({
            find,
            actions: ['mask-replies', 'mask-records'],
          })),
          { find: 'pattern', name: 'own', pattern: 'a.*b|zz', actions: ['mask-replies'] },
        ],
      },
    ],
    ['POST', '/credentials', { api: 'disclosing', fields: { token: canarySecret } }],
    [
      'POST',
      '/tools',
      {
        api: 'disclosing',
        name: 'disclosing',
        description: 'Answers with whatever it is told, a secret among it',
        operation: { method: 'GET', path: '/' },
      },
    ],
    [
      'POST',
      '/apis',
      {
        slug: 'refusing',
        baseUrl: `${echoOrigin}/refusing`,
        piiRules: ['card', 'iban', 'email', 'phone'].map((find) => ({ find, actions: ['refuse-arguments'] })),
      },
    ],
    [
      'POST',
      '/tools',
      {
        api: 'refusing',
        name: 'refusing',
        description: 'Takes no personal data',
        operation: {
          method: 'POST',
          path: '/',
          parameters: ['it', 'deep'].map((name) => ({ name, in: 'body', schema: {}, required: false })),
          body: { mediaType: 'application/json', shape: 'fields' },
        },
      },
    ],
    ['PATCH', '/servers/default', { selectArgument: true }],
    ['POST', '/servers', { slug: 'keyed', tools: '*', policy: { kind: 'key' } }],
  ];
  for (const [method, path, given] of steps) {
    const { status, text } = await at.admin(method, path, given);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`);
  }
}

/** Asks what was loaded into the gateway; one question at a time. */
function askInside<Told>(child: ChildProcess, question: 'turn' | 'rest' | 'memory'): Promise<Told> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('the gateway ended before it answered'));
    child.once('exit', gone);
    child.once('message', (told) => {
      child.off('exit', gone);
      resolve(told as Told);
    });
    child.send(question, (failed) => failed && reject(failed));
  });
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve((JSON.parse(text.split('\n', 1)[0]!) as { url: string }).url);
    });
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it listened`)));
  });
}

/** A server that writes bytes to whoever asks, HTTP or not. */
async function startRawApi() {
  let answer: Buffer | string = '';
  let hangs = false;
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.once('data', () => (hangs ? socket.write(answer) : socket.end(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    answerWith(bytes: Buffer | string, thenHang: boolean) {
      answer = bytes;
      hangs = thenHang;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
