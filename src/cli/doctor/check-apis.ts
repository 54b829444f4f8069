import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/settings.ts';
import type { Api } from '../../domain/api.ts';
import { toHandrailError } from '../../domain/errors.ts';
import type { Gateway } from '../../gateway.ts';
import { createLog } from '../../lib/log.ts';
import { counted } from '../../lib/text/amounts.ts';
import { settingsOf } from '../../registry/settings.ts';

const maxApis = 200;
const maxConcurrent = 8;
const timeoutMs = 5_000;
const dayMs = 86_400_000;

/** The servers in the store, and the URL of the gateway that last served it. */
export interface Opened {
  readonly servers: ReadonlySet<string>;
  readonly listeningAt: string;
}

/**
 * Checks every enabled API: whether it can be reached through the egress guard, whether a credential is stored if it
 * needs one, and whether signing in has failed since it last worked. Sends no secrets: any response counts as
 * reachable.
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
    for (let i = 0; i < looked.length; i += maxConcurrent)
      checks.push(
        ...(await Promise.all(
          looked.slice(i, i + maxConcurrent).map((api) => checkApi(gateway, api, isOffline)),
        )),
      );
    if (apis.length === 0) checks.push({ name: 'APIs', ok: true, detail: 'none of your own yet' });
    if (apis.length > maxApis)
      checks.push({ name: 'APIs', ok: true, detail: `${apis.length - maxApis} more were not checked` });
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
      detail: 'it requires authentication, but no credential is stored',
      fix: `handrail credentials set ${api.slug}`,
    };
  const failedSignIn = await signInFailure(gateway, api);
  if (failedSignIn !== null)
    return {
      name,
      ok: false,
      detail: `signing in has failed since it last worked: ${failedSignIn}`,
      fix: `handrail credentials test ${api.slug}, then set or connect it again`,
    };
  if (isOffline) return { name, ok: true, detail: 'not contacted (--offline)' };
  try {
    const { status } = await gateway.context.fetch({
      url: api.baseUrl,
      timeoutMs,
      maxReplyBytes: 1_048_576,
      ...(api.egressAllow !== undefined && { egressAllow: api.egressAllow }),
    });
    return { name, ok: true, detail: `responds (HTTP ${status})` };
  } catch (thrown) {
    const { code, message } = toHandrailError(thrown);
    // A reply that is too large is still a response.
    if (code === 'reply_too_large') return { name, ok: true, detail: 'responds' };
    const { host, port, protocol } = new URL(api.baseUrl);
    const address = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
    return {
      name,
      ok: false,
      detail: message,
      fix:
        code === 'egress_refused'
          ? `handrail egress allow ${address}, if calls to it are intended`
          : `is ${api.baseUrl} right, and reachable from this machine? handrail apis update ${api.slug} --base-url URL`,
    };
  }
}

/** Why the last sign-in failed, unless a call has succeeded since. */
async function signInFailure({ store, context }: Gateway, api: Api): Promise<string | null> {
  const newest = async (outcome: string) =>
    (await store.calls.find({ apiSlug: api.slug, outcome, fromMs: context.now() - dayMs }, 1)).calls[0];
  const failed = await newest('login_failed');
  if (failed === undefined) return null;
  const succeeded = await newest('ok');
  return succeeded !== undefined && succeeded.startedAtMs > failed.startedAtMs
    ? null
    : (failed.message ?? failed.id);
}

/** The result of one check. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about a problem. */
  readonly fix?: string;
}
