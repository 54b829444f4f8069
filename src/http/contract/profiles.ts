import { z } from 'zod';
import { defineRoute } from './route.ts';

export const profileRoutes = {
  take: defineRoute({
    method: 'POST',
    path: '/profiles',
    id: 'takeProfile',
    tag: 'profiles',
    access: 'owner',
    summary:
      'Profile the process that answers this request: where its CPU time or its memory goes. Contains names of functions and files, no data',
    status: 200,
    body: z.strictObject({
      kind: z.enum(['cpu', 'heap']),
      seconds: z.number().int().min(1).max(60).default(10),
    }),
    reply: z
      .record(z.string(), z.unknown())
      .describe('A .cpuprofile or .heapprofile, which the developer tools of a browser open.'),
  }),
};
