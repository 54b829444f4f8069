// `npm run release -- VERSION`: gives the changelog's "Unreleased" section this version and today's date, sets
// it in every file that contains it, and packs the release into release/. Commit it, then push the tag that it
// prints: the workflow tests, packs again, and publishes where that is allowed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runOrExit } from './prepare.js';

/** Files that contain the version, and where: everything else is generated from these. */
const carriers = {
  'package.json': (version) => [/^( {2}"version": ")[^"]+/m, version],
  'web/explorer/package.json': (version) => [/^( {2}"version": ")[^"]+/m, version],
  'web/admin/package.json': (version) => [/^( {2}"version": ")[^"]+/m, version],
  'src/version.ts': (version) => [/^(export const version = ')[^']+/m, version],
  'README.md': (version) => [/(handrail-)\d[\w.-]*(?=\.tgz)/g, version],
  'docs/guide/deploying.md': (version) => [/(handrail[:-])\d+\.\d+\.\d+[\w.-]*?(?=\.tgz| )/g, version],
  'deploy/kubernetes/kustomization.yaml': (version) => [/^( {4}newTag: ).+/m, version],
};

const [version, ...more] = process.argv.slice(2);
if (version === undefined || more.length > 0 || !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
  fail('Which version? npm run release -- 1.2.3');
const before = JSON.parse(read('package.json')).version;
const changelog = read('CHANGELOG.md');
// The first release's entry already has its version; later ones start as "Unreleased".
const unreleased = /^## (?:Unreleased|(\S+) – unreleased)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog);
if (unreleased === null || unreleased[2].trim() === '')
  fail('CHANGELOG.md has nothing under "## Unreleased".');
if (compare(version, before) < (unreleased[1] === before ? 0 : 1))
  fail(`${version} does not come after ${before}, which package.json has.`);
if (changelog.includes(`\n## ${version} `)) fail(`CHANGELOG.md has ${version} already.`);

const today = new Date().toISOString().slice(0, 10);
write(
  'CHANGELOG.md',
  changelog.replace(/^## .+\n/m, () => `## Unreleased\n\n## ${version} – ${today}\n`),
);
for (const [file, place] of Object.entries(carriers)) {
  const [pattern, value] = place(version);
  const text = read(file);
  const changed = text.replace(pattern, (_, start) => `${start}${value}`);
  if (changed === text && !text.includes(version))
    fail(`${file} carries no version any more: change scripts/release.js.`);
  write(file, changed);
}
if (process.env.RELEASE_PACK !== 'no') {
  runOrExit('npm', [
    'install',
    '--package-lock-only',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  runOrExit(process.execPath, [join(root, 'scripts', 'pack.js'), `v${version}`]);
}
console.log(`Commit this, then: git tag v${version} && git push origin v${version}`);

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function write(file, text) {
  writeFileSync(join(root, file), text);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Which of two versions is later; one with a suffix comes before the same without. */
function compare(a, b) {
  const parts = (text) => text.split('-', 1)[0].split('.').map(Number);
  const [left, right] = [parts(a), parts(b)];
  const at = left.findIndex((number, i) => number !== right[i]);
  if (at >= 0) return left[at] - right[at];
  return Number(b.includes('-')) - Number(a.includes('-')) || (a > b ? 1 : a < b ? -1 : 0);
}
