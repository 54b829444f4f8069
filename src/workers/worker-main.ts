import nodeModule from 'node:module';
import { openParentLink } from './parent-link.ts';
import { runWorker } from './worker-life.ts';

// The same as in src/main.ts.
process.on('SIGUSR1', () => {});
if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function')
  nodeModule.enableCompileCache();

runWorker(openParentLink());
