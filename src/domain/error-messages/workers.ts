import { template } from '../errors.ts';

/** What can go wrong with worker processes. */
export const workerErrors = {
  uncleanStop: template('unavailable', 'Some workers did not stop cleanly.'),
  exitedEarly: template('unavailable', (v: { name: string }) => `The ${v.name} exited before it served.`),
};
