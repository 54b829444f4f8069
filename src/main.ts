#!/usr/bin/env node
import nodeModule from 'node:module';

// Node opens its debugger to anyone who can send this signal; a listener prevents that.
process.on('SIGUSR1', () => {});

// Node 22 and newer keep compiled code between starts, which halves the time to load the gateway; Node 20 cannot.
if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function')
  nodeModule.enableCompileCache();

// Loading the program opens many files at once, so a low limit shows here first. Nothing else is loaded to say so.
const endIfOutOfFiles = (error: unknown): void => {
  if (!(error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')))
    return;
  process.stderr.write(
    'handrail: The limit for open files is too low to start. Raise it, for example with "ulimit -n 1024" before ' +
      'starting, or LimitNOFILE= in a systemd unit; every connection needs one as well.\n',
  );
  process.exit(3);
};

try {
  const { run } = await import('./cli/run.ts');
  process.exitCode = await run(process.argv.slice(2), process.env);
} catch (error) {
  endIfOutOfFiles(error);
  throw error;
}
