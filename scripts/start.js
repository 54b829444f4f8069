// `npm start`: installs, builds and serves. Arguments after `--` go to `handrail serve`.
import { checkNode, ensureBuilt, ensureInstalled } from './prepare.js';

checkNode();
ensureInstalled();
ensureBuilt();
process.argv.splice(2, 0, 'serve');
await import('../dist/main.js');
