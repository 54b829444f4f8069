import nodeModule from 'node:module';
import { openParentLink } from './parent-link.ts';
import { runWorker } from './worker-life.ts';

// What src/main.ts does for a process that is started by hand.
process.on('SIGUSR1', () => {});
if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function')
  nodeModule.enableCompileCache();

runWorker(openParentLink());
