// `npm run build`: builds everything into dist/, from scratch.
import { build, checkNode, ensureInstalled } from './prepare.js';

checkNode();
ensureInstalled();
build();
