import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const endThreads = fileURLToPath(
  new URL('../../test/support/ending-threads/end-threads.js', import.meta.url),
);

it('starts threads that can be ended while V8 compiles for them', async () => {
  // So that what is rare otherwise happens within a second: V8 marks early, and is still compiling when the thread ends.
  const flags = ['--incremental-marking-soft-trigger=90', '--concurrent-recompilation-delay=30'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, endThreads, '48']);
  expect(stdout).toBe('all have ended\n');
});
