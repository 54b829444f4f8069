// `npm run pack [TAG]`: both packages as they are published, a bill of materials (CycloneDX), checksums and the
// notes of this version, in release/. With a tag, it fails unless the packages and the changelog have that
// version.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkNode, ensureBuilt, ensureInstalled, root, runOrExit } from './prepare.js';

const release = join(root, 'release');
const [tag] = process.argv.slice(2);

function fail(message) {
  console.error(message);
  process.exit(1);
}

function versionOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).version;
}

/** The changelog section under one heading; undefined if there is none. */
function notesUnder(heading) {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  const section = sections.find((text) => text.split('\n', 1)[0].split(' ', 1)[0] === heading);
  return section?.slice(section.indexOf('\n')).trim();
}

const version = versionOf('.');
if (versionOf('web/explorer') !== version)
  fail(`The packages differ: handrail is ${version}, @handrail/explorer is ${versionOf('web/explorer')}.`);
if (tag && tag !== `v${version}`)
  fail(`The tag is ${tag}, but the packages are ${version}: the tag has to be v${version}.`);
const notes = notesUnder(tag ? version : 'Unreleased') ?? (tag ? undefined : '');
if (notes === undefined) fail(`CHANGELOG.md has no section "## ${version}": give "Unreleased" that name.`);

checkNode();
ensureInstalled();
ensureBuilt();
rmSync(release, { recursive: true, force: true });
mkdirSync(release);
runOrExit('npm', ['pack', '--silent', '--pack-destination', release]);
runOrExit('npm', ['pack', '--silent', '--pack-destination', release, '-w', 'web/explorer']);
writeFileSync(join(release, `handrail-${version}.cdx.json`), billOfMaterials());
const files = readdirSync(release).sort();
const sums = files.map(
  (file) =>
    `${createHash('sha256')
      .update(readFileSync(join(release, file)))
      .digest('hex')}  ${file}\n`,
);
writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
writeFileSync(join(release, 'NOTES.md'), `${notes}\n`);

/**
 * What an installation consists of, according to the lock file: npm's own list, without the packages for
 * building and testing.
 */
function billOfMaterials() {
  const { status, stdout, stderr, error } = spawnSync(
    'npm',
    [
      'sbom',
      '--sbom-format',
      'cyclonedx',
      '--sbom-type',
      'application',
      '--omit',
      'dev',
      '--package-lock-only',
    ],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (error || status !== 0) fail(`npm could not list what is in the package: ${error?.message ?? stderr}`);
  return stdout;
}
