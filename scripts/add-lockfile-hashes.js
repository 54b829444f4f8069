// `npm run lockfile-hashes`: gets every integrity hash that package-lock.json lacks from the registry. npm
// leaves hashes out for packages that were already installed when the lock file was written, and never adds
// them later.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.js';

const file = join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  if (!path.includes('node_modules/') || entry.link || entry.integrity) continue;
  const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const integrity = execFileSync('npm', ['view', `${name}@${entry.version}`, 'dist.integrity'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  if (!integrity.startsWith('sha512-'))
    throw new Error(`The registry has no SHA-512 hash for ${name}@${entry.version}.`);
  const { version, ...rest } = entry;
  lock.packages[path] = { version, integrity, ...rest };
  added++;
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} hashes added to package-lock.json.`);
