#!/usr/bin/env node
import nodeModule from 'node:module';

// Node opens its debugger to anyone who can send this signal; a listener prevents that.
process.on('SIGUSR1', () => {});

// Node 22 and newer keep compiled code between starts, which halves the time to load the gateway; Node 20 cannot.
if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function')
  nodeModule.enableCompileCache();
const { run } = await import('./cli/run.ts');

process.exitCode = await run(process.argv.slice(2), process.env);
