// Brings a checkout to the point where it can run: packages installed, everything built. Needs nothing but Node and npm,
// and skips what was done before.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dropUnreachedTypes } from './drop-unreached-types.js';

export const root = fileURLToPath(new URL('..', import.meta.url));

const installStamp = join(root, 'node_modules', '.handrail-installed');
const buildStamp = join(root, 'dist', '.handrail-built');

/** Ends with a clear message on a Node that cannot run Handrail. */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Handrail needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(3);
}

/** Installs packages unless the lock file is the one they were installed from. */
export function ensureInstalled() {
  const wanted = hashOf([join(root, 'package-lock.json'), join(root, 'package.json')]);
  if (existsSync(installStamp) && readFileSync(installStamp, 'utf8') === wanted) return;
  step('Installing packages (the first time takes a minute)');
  runOrExit('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(installStamp, wanted);
}

/** Builds unless the sources are the ones that were built. */
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
  // Comments are for readers of the sources; those of declarations are shown by editors.
  compile('--removeComments', '--declaration', 'false');
  compile('--emitDeclarationOnly');
  dropUnreachedTypes(join(root, 'dist'), 'index.d.ts');
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

/** Lets the next command that needs a build make one. */
export function forgetBuild() {
  rmSync(buildStamp, { force: true });
}

/** Runs a program in the project's root and ends with its exit code when it fails. */
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
  for (const folder of ['src', 'web']) collect(join(root, folder), files);
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
