// `npm run soak -- NAME`: the long runs that CI skips. Without a name, it lists them.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkNode, ensureBuilt, ensureInstalled, root, runOrExit } from './prepare.js';

const folder = join(root, 'scripts', 'soak');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -3));
const [name, ...args] = process.argv.slice(2);
if (name === undefined || !existsSync(join(folder, `${name}.js`))) {
  console.error(`usage: npm run soak -- NAME [options]\n\nNAME is one of: ${names.join(', ')}`);
  process.exit(2);
}
checkNode();
ensureInstalled();
ensureBuilt();
runOrExit(process.execPath, [join(folder, `${name}.js`), ...args]);
