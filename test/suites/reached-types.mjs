// Checks that every declaration which a package's types lead to is in the package. Usage: reached-types.mjs PACKAGE-FOLDER
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folder = process.argv[2];
assert.ok(folder, 'usage: reached-types.mjs PACKAGE-FOLDER');
const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const reached = new Set();
const missing = [];
const waiting = Object.values(exports).flatMap(({ types }) => (types ? [join(folder, types)] : []));
while (waiting.length > 0) {
  const file = waiting.pop();
  if (reached.has(file)) continue;
  reached.add(file);
  if (!existsSync(file)) {
    missing.push(file.slice(folder.length));
    continue;
  }
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g))
    waiting.push(join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')));
}
assert.deepEqual(missing, []);
assert.ok(reached.size > 50, `only ${reached.size} were reached`);
console.log(`all ${reached.size} declarations that the package's types lead to are in it`);
