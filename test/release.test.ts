import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { version } from '../src/version.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const carriers = [
  'package.json',
  'web/explorer/package.json',
  'web/admin/package.json',
  'src/version.ts',
  'README.md',
  'docs/guide/deploying.md',
  'deploy/kubernetes/kustomization.yaml',
];
let copy: string;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'handrail-release-'));
  const scripts = ['release.js', 'prepare.js', 'drop-unreached-types.js'].map((name) => `scripts/${name}`);
  for (const file of [...carriers, 'CHANGELOG.md', ...scripts]) cpSync(join(root, file), join(copy, file));
});
afterEach(() => rmSync(copy, { recursive: true, force: true, maxRetries: 10 }));

const release = (...args: string[]) =>
  spawnSync(process.execPath, [join(copy, 'scripts/release.js'), ...args], {
    encoding: 'utf8',
    // What is packed is the tarball suite's to look at.
    env: { ...process.env, RELEASE_PACK: 'no' },
  });
const read = (file: string) => readFileSync(join(copy, file), 'utf8');

it('has the version of the package in the sources, which an app that bundles them can read too', () => {
  const { version: packaged } = JSON.parse(read('package.json')) as { version: string };
  expect(version).toBe(packaged);
});

it('sets a version wherever it stands, and gives it what was unreleased', () => {
  const before = read('CHANGELOG.md');
  const { status, stdout, stderr } = release('98.7.6');
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('git tag v98.7.6');
  for (const file of carriers) expect(read(file), file).toContain('98.7.6');
  expect(read('README.md')).not.toMatch(/handrail-0\.\d/);
  const changelog = read('CHANGELOG.md');
  expect(changelog).toMatch(/^## Unreleased\n\n## 98\.7\.6 – \d{4}-\d\d-\d\d$/m);
  expect(changelog.length - before.length).toBeLessThan(40);
});

it.each([
  [[], 'Which version?'],
  [['next'], 'Which version?'],
  [['0.0.1'], 'does not come after'],
])('refuses %j and changes nothing', (args, sentence) => {
  const before = carriers.map(read);
  const { status, stderr } = release(...args);
  expect([status, stderr]).toEqual([1, expect.stringContaining(sentence)]);
  expect(carriers.map(read)).toEqual(before);
});

it('refuses a release of nothing', () => {
  writeFileSync(
    join(copy, 'CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n\n## 0.1.0 – 2025-01-01\n- First\n',
  );
  expect(release('98.7.6').stderr).toContain('nothing under');
});
