import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveHandrail, type ServingProcess } from '../support/command.ts';

const adminToken = 'faults-admin-token-0123456789';

/** What a client or an operator was told. */
export interface Told {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read by tests that know their shape
  readonly body: any;
}

/** A gateway in a process of its own, around which something is about to break. */
export interface FaultyGateway extends ServingProcess {
  admin(method: string, path: string, body?: unknown): Promise<Told>;
  /** Calls a tool of the default server over MCP. */
  call(tool: string, args?: object): Promise<Told>;
  /** Makes an API with one tool of the same name, which gets its base address. */
  register(name: string, baseUrl: string, limits?: object): Promise<void>;
  /** How many calls of a tool are on record. */
  recorded(tool: string): Promise<number>;
  /** Asks it to stop and waits until it has; returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Ends it as `kill -9` does, and waits until it is gone. */
  kill(): Promise<void>;
}

/** A folder for a test, and what removes it once nothing writes to it any more. */
export function makeFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'handrail-faults-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 20 }) };
}

/** Starts a gateway on a data folder; rejects with what it said when it does not start. */
export async function startFaulty(
  dataDir: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<FaultyGateway> {
  const serving = await serveHandrail(
    ['--data-dir', dataDir, '--no-demo', '--egress-allow', '127.0.0.1', '--log-level', 'warn', ...args],
    { HANDRAIL_ADMIN_TOKEN: adminToken, ...env },
  );
  const ask = async (method: string, path: string, body?: unknown, token = true): Promise<Told> => {
    const answer = await fetch(`${serving.url}${path}`, {
      method,
      headers: {
        // A kept connection could be one to a process that is no more.
        connection: 'close',
        ...(token && { authorization: `Bearer ${adminToken}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        accept: 'application/json, text/event-stream',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text };
  };
  const end = (signal: NodeJS.Signals) => {
    serving.child.kill(signal);
    return serving.exited;
  };
  const gateway: FaultyGateway = {
    ...serving,
    admin: (method, path, body) => ask(method, `/api/v1${path}`, body),
    call: (name, given = {}) =>
      ask(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
        false,
      ),
    async register(name, baseUrl, limits = {}) {
      for (const [path, body] of [
        ['/apis', { slug: name, baseUrl, limits }],
        ['/tools', { api: name, name, description: 'x', operation: { method: 'GET', path: '/' } }],
      ] as const) {
        const told = await gateway.admin('POST', path, body);
        if (told.status !== 201)
          throw new Error(`${path} answered ${told.status}: ${JSON.stringify(told.body)}`);
      }
    },
    async recorded(tool) {
      const { body } = await gateway.admin('GET', `/calls?tool=${tool}&limit=500`);
      return (body as { items: unknown[] }).items.length;
    },
    stop: (signal = 'SIGTERM') => end(signal),
    async kill() {
      await end('SIGKILL');
    },
  };
  return gateway;
}

/** The sentence that a caller got, and whether it was that the call failed. */
export function saidBy({ body }: Told): { readonly failed: boolean; readonly text: string } {
  const { error, result } = body as {
    error?: { message: string };
    result?: { isError?: boolean; content: { text?: string }[] };
  };
  return {
    failed: error !== undefined || result?.isError === true,
    text: error?.message ?? result?.content[0]?.text ?? '',
  };
}
