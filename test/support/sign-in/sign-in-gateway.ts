import type { SettingName } from '../../../src/config/settings.ts';
import { type RunningGateway, startGateway } from '../running-gateway.ts';
import { startEcho } from '../servers/echo-upstream.ts';
import type { Person } from './page-reader.ts';

export const ada: Person = { name: 'ada', password: 'staple battery horse correct 9' };

/** A gateway with an owner, an API with a tool of each kind, and servers that people sign in to. */
export interface SignInGateway extends RunningGateway {
  readonly toolIds: Readonly<Record<string, string>>;
  serve(slug: string, policy?: object): Promise<void>;
}

export async function startSignInGateway(
  settings: Partial<Record<SettingName, unknown>> = {},
): Promise<SignInGateway> {
  const upstream = await startEcho();
  const running = await startGateway({ egressAllow: '127.0.0.1', ...settings });
  const token = await running.gateway.signIn.makeSetupToken();
  await running.gateway.signIn.setUp(token!, ada.name, ada.password, {
    address: '127.0.0.1',
    userAgent: 'test',
  });
  await running.admin('POST', '/apis', { slug: 'shop', name: 'Shop', baseUrl: upstream.origin });
  const toolIds: Record<string, string> = {};
  for (const [name, method, path] of [
    ['list_orders', 'GET', '/orders'],
    ['get_order', 'GET', '/order'],
    ['create_order', 'POST', '/orders'],
    ['delete_order', 'DELETE', '/order'],
  ] as const) {
    const made = await running.admin('POST', '/tools', {
      api: 'shop',
      name,
      description: `Does ${name}`,
      operation: { method, path, parameters: [] },
    });
    toolIds[name] = made.body.id;
  }
  const serve = async (slug: string, policy: object = { kind: 'sign-in' }) => {
    const made = await running.admin('POST', '/servers', {
      slug,
      name: `The ${slug}`,
      tools: '*',
      policy,
      mode: 'direct',
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  };
  await serve('team');
  return {
    ...running,
    toolIds,
    serve,
    async stop() {
      await running.stop();
      await upstream.close();
    },
  };
}
