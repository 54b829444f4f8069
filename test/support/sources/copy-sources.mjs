import { execFileSync } from 'node:child_process';
import { copyFileSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Copies the project's sources as they stand, also those that are not committed yet, into a folder, and returns their
 * names. Other suites run in this checkout meanwhile: what one of them leaves for a moment is no source.
 */
export function copySources(target, isWanted = () => true) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const copied = listed.split('\0').filter((file) => file !== '' && isWanted(file) && copy(file, target));
  if (!copied.includes('package.json') && isWanted('package.json'))
    throw new Error('git lists no package.json in this checkout.');
  return copied;
}

function copy(file, target) {
  const from = join(root, file);
  const into = join(target, file);
  try {
    if (!lstatSync(from).isFile()) return false;
    mkdirSync(dirname(into), { recursive: true });
    copyFileSync(from, into);
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(`${copySources(process.argv[2]).length} files are copied.`);
