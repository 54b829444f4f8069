import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/settings.ts';
import type { Api } from '../../domain/api.ts';
import { toHandrailError } from '../../domain/errors.ts';
import type { Gateway } from '../../gateway.ts';
import { createLog } from '../../lib/log.ts';
import { counted } from '../../lib/text/amounts.ts';
import { settingsOf } from '../../registry/settings.ts';

const maxApis = 200;
const atOnce = 8;
const timeoutMs = 5_000;
const dayMs = 86_400_000;

/** What is stored, and where a gateway on it listened last. */
export interface Opened {
  readonly servers: ReadonlySet<string>;
  readonly listeningAt: string;
}

/**
 * Looks at every API that is switched on: whether it can be reached from here through the egress guard, whether a
 * credential is stored where it asks for one, and whether signing in has failed since it last worked. Nothing secret is
 * sent: an API that answers at all is reached.
 */
export async function checkApis(
  config: Config,
  isOffline: boolean,
): Promise<{ readonly checks: Check[]; readonly opened: Opened | null }> {
  const { createGateway } = await import('../../gateway.ts');
  let gateway: Gateway;
  try {
    const quiet = { ...config, adminToken: randomUUID(), demo: false, logLevel: 'silent' as const };
    gateway = await createGateway(quiet, { log: createLog(quiet) });
  } catch (error) {
    return {
      checks: [{ name: 'APIs', ok: false, detail: toHandrailError(error).message }],
      opened: null,
    };
  }
  try {
    const { registry, context } = gateway;
    const apis = [...registry.snapshot.apis.values()].filter((api) => api.enabled && !api.builtIn);
    const checks: Check[] = [egressOf(gateway)];
    const looked = apis.slice(0, maxApis);
    for (let i = 0; i < looked.length; i += atOnce)
      checks.push(
        ...(await Promise.all(looked.slice(i, i + atOnce).map((api) => checkApi(gateway, api, isOffline)))),
      );
    if (apis.length === 0) checks.push({ name: 'APIs', ok: true, detail: 'none of your own yet' });
    if (apis.length > maxApis)
      checks.push({ name: 'APIs', ok: true, detail: `${apis.length - maxApis} more were not looked at` });
    const servers = new Set([...registry.snapshot.servers.values()].map(({ slug }) => slug));
    return { checks, opened: { servers, listeningAt: context.publicUrl() } };
  } finally {
    await gateway.close();
  }
}

function egressOf({ config, registry }: Gateway): Check {
  const { egressAllow: own = [] } = settingsOf(registry.snapshot.settings);
  const allowed = [...new Set([...config.egressAllow, ...own])];
  return {
    name: 'egress',
    ok: true,
    detail:
      allowed.length === 0
        ? 'public addresses only'
        : `public addresses, and ${counted(allowed.length, 'private one')}: ${allowed.slice(0, 10).join(', ')}`,
  };
}

async function checkApi(gateway: Gateway, api: Api, isOffline: boolean): Promise<Check> {
  const name = `API ${api.slug}`;
  const { snapshot } = gateway.registry;
  const hasCredential = [...snapshot.credentials.values()].some(({ apiId }) => apiId === api.id);
  if (api.auth.kind !== 'none' && !hasCredential)
    return {
      name,
      ok: false,
      detail: 'it asks to be authenticated, and no credential is stored',
      fix: `handrail credentials set ${api.slug}`,
    };
  const failedSignIn = await signInFailure(gateway, api);
  if (failedSignIn !== null)
    return {
      name,
      ok: false,
      detail: `signing in has failed since it last worked: ${failedSignIn}`,
      fix: `handrail credentials test ${api.slug}, then set or connect it anew`,
    };
  if (isOffline) return { name, ok: true, detail: 'not asked (--offline)' };
  try {
    const { status } = await gateway.context.fetch({
      url: api.baseUrl,
      timeoutMs,
      maxReplyBytes: 1_048_576,
      ...(api.egressAllow !== undefined && { egressAllow: api.egressAllow }),
    });
    return { name, ok: true, detail: `answers (HTTP ${status})` };
  } catch (thrown) {
    const { code, message } = toHandrailError(thrown);
    // More than was asked for is an answer, too.
    if (code === 'reply_too_large') return { name, ok: true, detail: 'answers' };
    const { host, port, protocol } = new URL(api.baseUrl);
    const address = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
    return {
      name,
      ok: false,
      detail: message,
      fix:
        code === 'egress_refused'
          ? `handrail egress allow ${address}, if it is meant to be reached`
          : `is ${api.baseUrl} right, and reachable from this machine? handrail apis update ${api.slug} --base-url URL`,
    };
  }
}

/** Why the newest sign-in failed, where no call has gone well after it. */
async function signInFailure({ store, context }: Gateway, api: Api): Promise<string | null> {
  const newest = async (outcome: string) =>
    (await store.calls.find({ apiSlug: api.slug, outcome, fromMs: context.now() - dayMs }, 1)).calls[0];
  const failed = await newest('login_failed');
  if (failed === undefined) return null;
  const well = await newest('ok');
  return well !== undefined && well.startedAtMs > failed.startedAtMs ? null : (failed.message ?? failed.id);
}

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it, where something is wrong. */
  readonly fix?: string;
}
