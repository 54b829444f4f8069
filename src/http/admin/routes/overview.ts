import type { z } from 'zod';
import { type Faults, latencyOf, readStatistics, type Statistics, sumOf } from '../../../calls/statistics.ts';
import { handrailItself } from '../../../domain/audit.ts';
import { nounNames, labelOfRow, sentenceOf } from '../../../domain/stored/read-stored.ts';
import { waitingOf } from '../../../domain/tool.ts';
import type { Snapshot } from '../../../registry/snapshot.ts';
import type { Store } from '../../../storage/ports.ts';
import { overviewRoutes } from '../../contract/overview.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { eventStream } from '../event-stream.ts';
import { time } from '../views.ts';
import { counted } from '../../../lib/text/amounts.ts';

type Overview = z.input<(typeof overviewRoutes.read)['reply']>;
type Attention = Overview['attention'][number];

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;
const nowMinutes = 5;
const maxSetAside = 10;

/** The data of the home page, and change events for every page. */
export function bindOverview(context: AppContext): BoundRoute[] {
  const { registry, store, recorder, health, now } = context;
  const startedAtMs = now();
  return [
    bind(overviewRoutes.read, async (): Promise<Overview> => {
      await recorder.flush();
      const { snapshot } = registry;
      const nowMs = now();
      const [recent, today, alive, people] = await Promise.all([
        store.rollups.find({
          dimension: 'all',
          width: 'minute',
          fromMs: nowMs - nowMinutes * minuteMs,
          toMs: nowMs + 1,
        }),
        readStatistics(store.rollups, { range: '24h', by: 'tool', top: 100, order: 'calls' }, nowMs),
        isAlive(store),
        store.people.count(),
      ]);
      const current = sumOf(recent);
      const unhealthy = [...snapshot.apis.values()].filter((api) => api.enabled && !health.isHealthy(api.id));
      return {
        counts: {
          apis: snapshot.apis.size,
          tools: snapshot.tools.size,
          enabledTools: snapshot.compiled.size,
          servers: snapshot.servers.size,
          credentials: snapshot.credentials.size,
          keys: [...snapshot.keys.values()].filter((key) => key.revokedAtMs === undefined).length,
        },
        health: {
          store: alive ? 'ok' : 'unavailable',
          recordsWaiting: recorder.waiting,
          recordsDropped: recorder.dropped,
          uptimeMs: nowMs - startedAtMs,
          openCircuits: unhealthy.map((api) => api.slug),
        },
        now: {
          callsPerMinute: current.calls / nowMinutes,
          errorsPerMinute: current.errors / nowMinutes,
          p95Ms: latencyOf(current)?.p95Ms ?? null,
        },
        today: {
          calls: today.totals.calls,
          errors: today.totals.errors,
          faults: sumOfFaults(today.faults ?? []),
          outputTokens: today.totals.outputTokens,
        },
        topTools: today.groups.slice(0, 8).map(({ name, calls, errors }) => ({ name, calls, errors })),
        attention: attentionFor(
          snapshot,
          today,
          unhealthy.map((api) => api.slug),
          recorder.dropped,
          nowMs,
        ),
        next: nextSteps(snapshot, today.totals.calls, people),
      };
    }),
    bind(overviewRoutes.events, ({ signal }) =>
      eventStream(AbortSignal.any([signal, context.stopping]), (send) => {
        send('hello', { seq: registry.snapshot.seq });
        return registry.onChange((after, _before, changes, actor) => {
          send('change', {
            seq: after.seq,
            changes: changes.flatMap((change) =>
              change.kind === 'given-name'
                ? []
                : [
                    {
                      kind: change.kind,
                      op: change.op,
                      id: change.op === 'put' ? change.entity.id : change.id,
                    },
                  ],
            ),
            by: actor === handrailItself ? null : { id: actor.id, name: actor.label },
          });
        });
      }),
    ),
  ];
}

function sumOfFaults(faults: readonly Faults[]): Faults {
  const sum = { agent: 0, api: 0, gateway: 0 };
  for (const { agent, api, gateway } of faults) {
    sum.agent += agent;
    sum.api += api;
    sum.gateway += gateway;
  }
  return sum;
}

function attentionFor(
  snapshot: Snapshot,
  today: Statistics,
  unhealthy: readonly string[],
  dropped: number,
  nowMs: number,
): Attention[] {
  const found: Attention[] = [];
  for (const row of snapshot.setAside.rows.slice(0, maxSetAside)) {
    found.push({
      kind: 'set-aside',
      title: `The ${nounNames[row.kind]} ${labelOfRow(row)} cannot be read`,
      detail: `Its stored row is kept unchanged and is not served: ${sentenceOf(row.problems.slice(0, 3))}.`,
      subject: labelOfRow(row),
      values: { name: labelOfRow(row) },
      since: null,
    });
  }
  if (dropped > 0) {
    found.push({
      kind: 'dropped-records',
      title: 'Call records were lost',
      values: { count: dropped },
      detail: `${counted(dropped, 'record')} could not be written since the gateway started. Check the disk or the database.`,
      subject: null,
      since: null,
    });
  }
  for (const slug of unhealthy) {
    found.push({
      kind: 'open-circuit',
      title: `${slug} is not responding`,
      detail: 'Several calls to it in a row failed, so further calls fail immediately for a while.',
      subject: slug,
      values: { name: slug },
      since: null,
    });
  }
  // What fails most comes first.
  for (const group of today.groups.toSorted((a, b) => b.errors - a.errors)) {
    if (group.errors < 3 || group.errors / group.calls < 0.2) continue;
    const share = Math.round((group.errors / group.calls) * 100);
    found.push({
      kind: 'failing-tool',
      title: `${group.name} is failing`,
      detail: `${group.errors} of ${counted(group.calls, 'call')} failed in the last 24 hours (${share}%).`,
      subject: group.name,
      values: { name: group.name, count: group.errors, calls: group.calls, share },
      since: time(today.fromMs),
    });
  }
  const withCredential = new Set([...snapshot.credentials.values()].map((credential) => credential.apiId));
  for (const api of snapshot.apis.values()) {
    if (!api.enabled || api.auth.kind === 'none' || withCredential.has(api.id)) continue;
    found.push({
      kind: 'missing-credential',
      title: `${api.slug} has no credential`,
      detail: 'The API requires authentication, but no credential is stored.',
      subject: api.slug,
      values: { name: api.slug },
      since: time(api.createdAtMs),
    });
  }
  for (const key of snapshot.keys.values()) {
    if (key.revokedAtMs !== undefined || key.expiresAtMs === undefined) continue;
    if (key.expiresAtMs <= nowMs || key.expiresAtMs > nowMs + weekMs) continue;
    const replaced = [...snapshot.keys.values()].some((other) => other.replacesId === key.id);
    if (replaced) continue;
    found.push({
      kind: 'expiring-key',
      title: `The key "${key.name}" expires soon`,
      detail: `It stops working at ${time(key.expiresAtMs)}. Rotate it to give its clients time to switch.`,
      subject: key.id,
      values: { name: key.name, at: time(key.expiresAtMs) },
      since: null,
    });
  }
  const pending = [...snapshot.tools.values()].filter((tool) => waitingOf(tool) !== null);
  if (pending.length > 0) {
    found.push({
      kind: 'pending-change',
      title: pending.length === 1 ? 'A tool changed upstream' : `${pending.length} tools changed upstream`,
      detail: 'New, removed and changed tools in their documents are waiting for your approval.',
      subject: pending.length === 1 ? pending[0]!.id : null,
      values: { count: pending.length },
      since: null,
    });
  }
  return found.slice(0, 50);
}

function nextSteps(snapshot: Snapshot, callsToday: number, people: number): Overview['next'] {
  const own = [...snapshot.apis.values()].filter((api) => api.builtIn !== true);
  const withCredential = new Set([...snapshot.credentials.values()].map((credential) => credential.apiId));
  const steps: Overview['next'] = [];
  if (own.length === 0) steps.push('add-api');
  if (own.some((api) => api.auth.kind !== 'none' && !withCredential.has(api.id)))
    steps.push('add-credential');
  if (snapshot.tools.size > 0 && callsToday === 0) steps.push('try-tool', 'connect-client');
  const keyed = [...snapshot.servers.values()].some(
    (server) => server.enabled && server.policy.kind === 'key',
  );
  if (keyed && snapshot.keys.size === 0) steps.push('make-key');
  if (own.length > 0 && people === 1) steps.push('invite-person');
  return steps;
}

async function isAlive(store: Store): Promise<boolean> {
  try {
    await store.ping();
    return true;
  } catch {
    return false;
  }
}
