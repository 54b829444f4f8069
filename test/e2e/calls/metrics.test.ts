import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

let at: TestGateway;
/** Names of the metrics that a gateway tells, with their types. */
const types = new Map<string, string>();

beforeAll(async () => {
  at = await startGateway();
  const { body } = await at.request('GET', '/metrics');
  for (const [, name, type] of body.matchAll(/^# TYPE (\S+) (\S+)$/gm)) types.set(name!, type!);
});
afterAll(() => at.close());

test('the reference lists exactly the metrics there are', async () => {
  const page = await read('docs/reference/metrics.md');
  const listed = [...page.matchAll(/`((?:handrail|process)_[a-z_]+)`/g)].map((match) => match[1]!);
  expect(listed.toSorted()).toEqual([...types.keys()].toSorted());
});

test('the dashboard asks only for metrics there are', async () => {
  const dashboard = JSON.parse(await read('examples/observability/grafana-dashboard.json')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const queries = dashboard.panels.flatMap((panel) => panel.targets.map(({ expr }) => expr));
  expect(queries.length).toBeGreaterThan(5);
  const known = [...types].flatMap(([name, type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  for (const query of queries) {
    const asked = [...query.matchAll(/\b(?:handrail|process)_[a-z_]+/g)].map(([name]) => name);
    expect(asked, query).not.toEqual([]);
    for (const name of asked) expect(known, query).toContain(name);
  }
});
