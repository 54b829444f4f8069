import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../../src/config/load-config.ts';
import type { SettingName } from '../../src/config/settings.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';

/** A whole gateway in this process: real HTTP on a free port, real SQLite in a folder of its own. */
export interface RunningGateway {
  readonly url: string;
  readonly gateway: Gateway;
  readonly dataDir: string;
  /** Asks the admin API; the body is sent as JSON. */
  admin(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<AdminAnswer>;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read by tests that know their shape
  readonly body: any;
}

export const adminToken = 'test-admin-token-0123456789';

/** Starts a gateway without the demo unless the settings ask for it. */
export async function startGateway(
  flags: Partial<Record<SettingName, unknown>> = {},
): Promise<RunningGateway> {
  const dataDir =
    typeof flags.dataDir === 'string' ? flags.dataDir : await mkdtemp(join(tmpdir(), 'handrail-test-'));
  const config = loadConfig({ flags: { port: 0, demo: false, drainMs: 500, adminToken, ...flags, dataDir } });
  const gateway = await createGateway(config, pino({ level: 'silent' }));
  const url = await gateway.listen();
  return {
    url,
    gateway,
    dataDir,
    async admin(method, path, body, headers = {}) {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${adminToken}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
    },
    async stop() {
      await gateway.close();
      if (flags.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
