// `npm run build`: everything into dist/, from nothing.
import { build, checkNode, ensureInstalled } from './prepare.js';

checkNode();
ensureInstalled();
build();
