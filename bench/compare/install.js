import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hasCommand } from '../processes.js';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../peers/out', import.meta.url));

/** Programs that are built or downloaded have this long; then their row says that they took longer. */
export const maxInstallMs = 600_000;

/** Installs a package from PyPI in an environment of its own, unless it is there; returns the folder of its programs. */
export async function installPython(packageName, version, also = []) {
  if (!hasCommand('python3')) throw new Error('python3 is not installed');
  const home = join(folder, `${packageName}-${version}`);
  const bin = join(home, 'bin');
  if (existsSync(join(home, 'installed'))) return bin;
  const limits = { timeout: maxInstallMs, maxBuffer: 64 * 2 ** 20 };
  await run('python3', ['-m', 'venv', home], limits);
  await run(join(bin, 'pip'), ['install', '-q', `${packageName}==${version}`, ...also], limits);
  await run('touch', [join(home, 'installed')]);
  return bin;
}

/** Builds a crate from its repository, unless it was built; returns its program. */
export async function installCargo(repository, program) {
  if (!hasCommand('cargo')) throw new Error('cargo is not installed');
  const home = join(folder, program);
  const file = join(home, 'bin', program);
  if (existsSync(file)) return file;
  const args = ['install', '--git', repository, '--root', home, '--locked', program];
  try {
    await run('cargo', args, { timeout: maxInstallMs, maxBuffer: 64 * 2 ** 20 });
  } catch (error) {
    throw new Error(
      error.killed
        ? `not built within ${maxInstallMs / 60_000} minutes`
        : `cargo: ${String(error.stderr).trim().split('\n').at(-1).trim()}`,
      { cause: error },
    );
  }
  return file;
}
