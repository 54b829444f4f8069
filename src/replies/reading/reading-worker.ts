import { parentPort, workerData } from 'node:worker_threads';
import { doReading, type ReadingTask } from './reading-task.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by read-aside.ts
parentPort?.postMessage(doReading(workerData as ReadingTask));
