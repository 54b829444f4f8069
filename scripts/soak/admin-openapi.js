// Schemathesis on every route of the admin API, with many examples of what its document allows and of what it doesn't.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../prepare.js';

const [seconds = '1800'] = process.argv.slice(2);
const options = `--phases coverage,fuzzing --max-examples 100 --max-time ${Number(seconds)} --continue-on-failure`;
const { status } = spawnSync('bash', [join(root, 'test/suites/admin-openapi.sh')], {
  stdio: 'inherit',
  env: { ...process.env, SCHEMATHESIS_OPTIONS: options },
});
process.exit(status ?? 1);
