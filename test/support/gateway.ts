import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { loadConfig } from '../../src/config/load-config.ts';
import type { SettingName } from '../../src/config/settings.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';

export const adminToken = 'a-token-for-tests-only';

/** A gateway in a folder of its own, reached without a socket. */
export interface TestGateway {
  readonly gateway: Gateway;
  readonly dataDir: string;
  /** A request with the admin token, unless other headers are given. */
  request(
    method: string,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

/** Starts a gateway with quiet defaults; a data folder that the settings name is left when it is closed. */
export async function startGateway(
  settings: Partial<Record<SettingName, unknown>> = {},
): Promise<TestGateway> {
  const dataDir =
    typeof settings.dataDir === 'string' ? settings.dataDir : await mkdtemp(join(tmpdir(), 'handrail-test-'));
  const config = loadConfig({
    flags: { adminToken, demo: false, port: 0, logLevel: 'silent', drainMs: 500, ...settings, dataDir },
  });
  const gateway = await createGateway(config);
  return {
    gateway,
    dataDir,
    request: (method, url, body, headers = { authorization: `Bearer ${adminToken}` }) =>
      gateway.app.inject({
        method: method as 'GET',
        url,
        headers: {
          host: 'localhost',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      }),
    async close() {
      await gateway.close();
      if (settings.dataDir === undefined) await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** The headers with which a signed-in page asks: its cookie and the session's CSRF value. */
export function sessionOf(answer: LightMyRequestResponse): { cookie: string; 'x-handrail-csrf': string } {
  const cookie = String(answer.headers['set-cookie']).split(';', 1)[0]!;
  return { cookie, 'x-handrail-csrf': answer.json<{ csrf: string }>().csrf };
}
