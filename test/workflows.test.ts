import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const folder = new URL('../.github/workflows/', import.meta.url);
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const,
);

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, { readonly 'timeout-minutes'?: number }>>;
}

it.each(workflows)('%s starts with read access only, and every job ends', (_name, text) => {
  const { permissions, jobs } = parse(text) as Workflow;
  expect(permissions).toEqual({ contents: 'read' });
  for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
});

it.each(workflows)('%s uses no stored secret', (_name, text) => {
  expect(text).not.toMatch(/\$\{\{\s*secrets\./);
});

it('publishes by identity, and signs the image by its digest', () => {
  const [, release] = workflows.find(([name]) => name === 'release.yml')!;
  const { jobs } = parse(release) as {
    jobs: Record<string, { permissions: object; steps: { run?: string }[] }>;
  };
  expect(jobs['publish']!.permissions).toMatchObject({ 'id-token': 'write' });
  expect(jobs['image']!.permissions).toMatchObject({ 'id-token': 'write' });
  expect(jobs['image']!.steps.map(({ run }) => run)).toContain('cosign sign --yes "$IMAGE@$DIGEST"');
});
