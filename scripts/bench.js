// `npm run bench`: measures tools/call and tools/list against the floor and the peers; see bench/README.md.
import { runBench } from '../bench/run.js';
import { checkNode, ensureBuilt, ensureInstalled } from './prepare.js';

checkNode();
ensureInstalled();
ensureBuilt();
await runBench();
