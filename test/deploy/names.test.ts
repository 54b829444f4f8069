import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { envName, settings } from '../../src/config/settings.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { importRoutes } from '../../src/http/contract/imports.ts';
import { keysOf } from '../../src/lib/json/plain-object.ts';
import { startGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres/postgres.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const deployed = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));

describe('what is deployed', () => {
  it.each([...deployed, 'Dockerfile', 'compose.yaml', 'docs/guide/deploying.md', 'docs/guide/scaling.md'])(
    'names only settings that there are: %s',
    (file) => {
      const known = new Set(keysOf(settings).map(envName));
      const named = [...read(file).matchAll(/\b(?:HANDRAIL_[A-Z_]*[A-Z]|DATABASE_URL)\b/g)].map(
        ([name]) => name,
      );
      expect(named.filter((name) => !known.has(name))).toEqual([]);
    },
  );
});

describe('the nginx example', () => {
  it('accepts bodies of the sizes that a gateway accepts', () => {
    const text = read('deploy/compose/nginx.conf');
    const limits = [...text.matchAll(/client_max_body_size (\d+)m;/g)].map(([, size]) => Number(size));
    const config = loadConfig({ flags: {}, env: {} });
    const mebibyte = 1024 * 1024;
    expect(limits).toEqual([
      config.maxBodyBytes / mebibyte,
      importRoutes.run.maxBodyBytes / mebibyte,
      config.maxFileBytes / mebibyte + 1,
    ]);
  });
});

describe('alerts and dashboard', () => {
  let exported: Set<string>;

  beforeAll(async () => {
    // On PostgreSQL, where processes share limits and have figures about that.
    const secretKey = Buffer.alloc(32, 7).toString('base64');
    const at = await startGateway({ databaseUrl: await createDatabase(), secretKey });
    exported = metricsIn((await at.request('GET', '/metrics')).body);
    await at.close();
  });
  afterAll(() => exported.clear());

  it('ask for metrics that a running gateway has', () => {
    const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as {
      groups: { rules: { alert?: string; record?: string; expr: string }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(10);
    const dashboard = read('examples/observability/grafana-dashboard.json');
    const panels = (JSON.parse(dashboard) as { panels: { title: string; targets?: { expr: string }[] }[] })
      .panels;
    const asked = [
      ...rules.map(({ alert, record, expr }) => [alert ?? record!, expr] as const),
      ...panels.flatMap(({ title, targets }) => (targets ?? []).map(({ expr }) => [title, expr] as const)),
    ];
    const recorded = new Set(rules.map(({ record }) => record));
    // `up` is Prometheus' own.
    const unknown = asked.flatMap(([who, expr]) =>
      namesIn(expr)
        .filter((name) => name !== 'up' && !exported.has(name) && !recorded.has(name))
        .map((name) => `${who}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('have a runbook each, which is linked, and there is no other', () => {
    const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as {
      groups: { rules: { alert?: string; annotations?: { runbook_url?: string } }[] }[];
    };
    const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined);
    const pageOf = (alert: string) => `${alert.replaceAll(/(?!^)[A-Z]/g, '-$&').toLowerCase()}.md`;
    const address = 'https://github.com/handrail/handrail/blob/main/docs/runbooks/';
    expect(alerts.map(({ annotations }) => annotations?.runbook_url)).toEqual(
      alerts.map(({ alert }) => `${address}${pageOf(alert!)}`),
    );
    const pages = readdirSync(join(root, 'docs/runbooks')).filter((name) => name !== 'index.md');
    expect(pages.toSorted()).toEqual(alerts.map(({ alert }) => pageOf(alert!)).toSorted());
    const index = read('docs/runbooks/index.md');
    for (const { alert } of alerts) {
      expect(read(`docs/runbooks/${pageOf(alert!)}`)).toMatch(new RegExp(`^# ${alert}\n`));
      expect(index).toContain(`[${alert}](${pageOf(alert!)})`);
    }
  });

  it('are all in the reference, which names nothing else', () => {
    const described = [...read('docs/reference/metrics.md').matchAll(/^\| (.+?) \|/gm)]
      .flatMap(([, cell]) => [...cell!.matchAll(/`([a-z_]+)`/g)])
      .map(([, name]) => name!);
    expect(described.filter((name) => !exported.has(name))).toEqual([]);
    const families = [...exported].filter((name) => !/_(?:bucket|sum|count)$/.test(name));
    expect(families.filter((name) => !described.includes(name))).toEqual([]);
  });
});

/** Names of metrics by what is said about their types. */
function metricsIn(text: string): Set<string> {
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? [name!, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
  );
  return new Set(names);
}

/** Names of metrics in an expression: words that stand alone, without what is in braces, brackets and grouping. */
function namesIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
  return [...bare.matchAll(/\b[a-z_][\w:]*\b(?!\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !keywords.has(name));
}
const keywords = new Set([
  'sum',
  'min',
  'max',
  'avg',
  'count',
  'rate',
  'increase',
  'and',
  'or',
  'unless',
  'bool',
  'offset',
]);
