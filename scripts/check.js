// `npm run check`: types, format, lint and unused code.
import { checkNode, ensureInstalled, runOrExit } from './prepare.js';

checkNode();
ensureInstalled();
runOrExit('npx', ['--no-install', 'tsc', '-p', 'tsconfig.json']);
runOrExit('npm', ['run', 'check', '--workspaces', '--if-present', '--silent']);
runOrExit('npx', ['--no-install', 'oxfmt', '--check']);
runOrExit('npx', ['--no-install', 'oxlint', '--type-aware', '--deny-warnings']);
runOrExit('npx', ['--no-install', 'knip']);
