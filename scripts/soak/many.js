// Several instances and workers for longer than CI has the time for: five minutes of a limit that six processes share, and
// 12 restarts of instances and of workers, as often as asked (`npm run soak -- many 3`). With HANDRAIL_EARLIER, a folder with an
// earlier version that is installed and built, that one and this one also serve side by side.
import { join } from 'node:path';
import { root, runOrExit } from '../prepare.js';

const rounds = Number(process.argv[2] ?? 1);
for (let round = 1; round <= rounds; round++) {
  console.log(`round ${round} of ${rounds}`);
  runOrExit(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      join(root, 'test/many/vitest.config.ts'),
    ],
    { ...process.env, HANDRAIL_MINUTES: '5', HANDRAIL_RESTARTS: '12' },
  );
}
