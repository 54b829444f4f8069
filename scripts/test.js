// `npm test`: installs, builds and runs every test that needs no root, no browser and no other program.
// Arguments after `--` go to vitest.
import { join } from 'node:path';
import { checkNode, ensureBuilt, ensureInstalled, root, runOrExit } from './prepare.js';

checkNode();
ensureInstalled();
ensureBuilt();
runOrExit(process.execPath, [
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  ...process.argv.slice(2),
]);
