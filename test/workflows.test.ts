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

it.each(workflows)('%s pins every action by its commit, and says which version that is', (_name, text) => {
  const used = [...text.matchAll(/^\s*(?:- )?uses: *(.*)$/gm)].map((match) => match[1]!);
  expect(used.length).toBeGreaterThan(0);
  const unpinned = used.filter((use) => !/^[\w-]+\/[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(use));
  expect(unpinned).toEqual([]);
});

it('pins one commit for each action, and one base image by its digest', () => {
  const pins = workflows.flatMap(([, text]) =>
    [...text.matchAll(/uses: *([\w-]+\/[\w-]+)[\w/-]*@(.*)$/gm)].map(
      (match) => [match[1]!, match[2]!] as const,
    ),
  );
  for (const [action, pin] of pins)
    expect([...new Set(pins.filter(([other]) => other === action).map(([, one]) => one))]).toEqual([pin]);
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
  const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map((match) => match[1]!);
  expect(new Set(bases).size).toBe(1);
  expect(bases[0]).toMatch(/^node:\d+-[\w-]+@sha256:[\da-f]{64}$/);
});
