import type { SettingName } from '../../src/config/settings.ts';
import { adminToken, startGateway as startUnreached, type TestGateway } from './gateway.ts';

export { adminToken };

/** A gateway that listens on a free port, for clients of its own kind and for what only a socket shows. */
export interface RunningGateway extends Pick<TestGateway, 'gateway' | 'dataDir'> {
  readonly url: string;
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

/** Starts a gateway without the demo unless the settings ask for it. */
export async function startGateway(
  settings: Partial<Record<SettingName, unknown>> = {},
): Promise<RunningGateway> {
  const { gateway, dataDir, close } = await startUnreached(settings);
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
    stop: close,
  };
}
