import { z } from 'zod';
import { defineRoute } from './route.ts';

/** A stored row that cannot be read, as the admin API shows it: what is wrong with it, never what is in it. */
export const setAsideResource = z
  .object({
    kind: z.enum([
      'api',
      'tool',
      'server',
      'composed-tool',
      'credential',
      'key',
      'person',
      'group',
      'setting',
      'model',
      'check',
      'identity-provider',
      'api-token',
      'given-name',
    ]),
    id: z.string(),
    name: z.string().describe('Its name, as far as it can be read.'),
    problems: z.array(
      z.object({
        path: z.string().describe('JSON Pointer into the row.'),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: 'SetAside' });

export const setAsideRoutes = {
  list: defineRoute({
    method: 'GET',
    path: '/set-aside',
    id: 'listSetAside',
    tag: 'set-aside',
    access: 'viewer',
    summary: 'List stored rows that cannot be read; they are kept unchanged and not served',
    status: 200,
    reply: z.object({
      items: z.array(setAsideResource).describe('The first 500.'),
      total: z.number().int(),
    }),
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/set-aside/:kind/:id',
    id: 'deleteSetAside',
    tag: 'set-aside',
    access: 'owner',
    summary: 'Delete a stored row that cannot be read; an API is deleted with its tools and credentials',
    status: 204,
  }),
};
