// Every fault with outages as long as real ones: `npm run soak -- faults`.
import { join } from 'node:path';
import { root, runOrExit } from '../prepare.js';

runOrExit('bash', [join(root, 'test/suites/faults.sh')], { ...process.env, HANDRAIL_FAULTS: 'long' });
