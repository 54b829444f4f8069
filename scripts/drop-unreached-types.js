import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Removes the declarations in a folder that can't be reached from its entries: no importer of the package sees
 * them.
 */
export function dropUnreachedTypes(folder, ...entries) {
  const reached = new Set();
  const waiting = entries.map((entry) => join(folder, entry));
  while (waiting.length > 0) {
    const file = waiting.pop();
    if (reached.has(file) || !existsSync(file)) continue;
    reached.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g))
      waiting.push(join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')));
  }
  for (const name of readdirSync(folder, { recursive: true }))
    if (name.endsWith('.d.ts') && !reached.has(join(folder, name))) rmSync(join(folder, name));
}
