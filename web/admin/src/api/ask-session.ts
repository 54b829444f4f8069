import { request } from './client.ts';
import type { Session } from './resources.ts';

/** Asks who is signed in. */
export const askSession = (): Promise<Session> => request('GET', '/session', {});
