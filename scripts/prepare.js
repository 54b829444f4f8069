// Prepares a checkout to run: packages installed, everything built. Needs only Node and npm, and skips what is
// already done.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dropUnreachedTypes } from './drop-unreached-types.js';

export const root = fileURLToPath(new URL('..', import.meta.url));

const installStamp = join(root, 'node_modules', '.handrail-installed');
const buildStamp = join(root, 'dist', '.handrail-built');

/** Exits with a clear message on a Node version that can't run Handrail. */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Handrail needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(3);
}

/** Installs packages unless they match the lock file. */
export function ensureInstalled() {
  const wanted = hashOf([join(root, 'package-lock.json'), join(root, 'package.json')]);
  if (existsSync(installStamp) && readFileSync(installStamp, 'utf8') === wanted) return;
  step('Installing packages (the first time takes a minute)');
  runOrExit('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(installStamp, wanted);
}

/** Builds unless the build matches the sources. */
export function ensureBuilt() {
  const wanted = hashOf(sourceFiles());
  if (existsSync(buildStamp) && readFileSync(buildStamp, 'utf8') === wanted) return;
  build();
}

/** Builds the gateway and the web parts it ships. */
export function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  buildPage('explorer');
  buildPage('admin');
  step('Building the gateway');
  // Comments are for readers of the sources; editors show those of declarations.
  compile('--removeComments', '--declaration', 'false');
  compile('--emitDeclarationOnly');
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values(exports).flatMap(({ types }) => types ?? []);
  dropUnreachedTypes(join(root, 'dist'), ...entries.map((entry) => entry.replace('./dist/', '')));
  step('Building the docs');
  runOrExit(process.execPath, [join(root, 'web', 'docs', 'build.js')]);
  writeFileSync(buildStamp, hashOf(sourceFiles()));
}

function compile(...options) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  runOrExit(process.execPath, [compiler, '-p', 'tsconfig.build.json', ...options]);
}

/** Builds one of the web parts. */
export function buildPage(part) {
  step(`Building the ${part} page`);
  runOrExit('npm', ['run', 'build', '--silent', '-w', `web/${part}`]);
}

/** Makes the next command that needs a build create one. */
export function forgetBuild() {
  rmSync(buildStamp, { force: true });
}

/** Runs a program in the project's root, and exits with its exit code if it fails. */
export function runOrExit(program, args, env = process.env) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env });
  if (error) {
    console.error(`${program} could not be started: ${error.message}`);
    process.exit(3);
  }
  if (status !== 0) process.exit(status ?? 1);
}

function step(text) {
  console.error(`• ${text} …`);
}

function hashOf(files) {
  const hash = createHash('sha256').update(process.versions.modules);
  for (const file of files) hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest('hex');
}

function sourceFiles() {
  const files = [
    join(root, 'package-lock.json'),
    join(root, 'package.json'),
    join(root, 'tsconfig.json'),
    join(root, 'tsconfig.build.json'),
  ];
  for (const folder of ['src', 'web', 'docs']) collect(join(root, folder), files);
  return files;
}

function collect(folder, files) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    if (entry.name === 'node_modules' || entry.name === 'dist') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) collect(path, files);
    else if (!entry.name.endsWith('.test.ts')) files.push(path);
  }
}
