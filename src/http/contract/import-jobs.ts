import { z } from 'zod';
import { timestamp } from './common.ts';
import { importBody, importResults } from './imports.ts';
import { defineRoute } from './route.ts';

/** An import that runs on its own. */
export const importJobResource = z
  .object({
    id: z.string(),
    label: z.string().describe('What it was started with: a file’s name, or a host.'),
    hasAddress: z.boolean().describe('Whether the document came from an address, which can be watched.'),
    by: z.string().describe('Who started it, or ran it last.'),
    isMine: z.boolean().describe('Whether that was the caller.'),
    startedAt: timestamp,
    updatedAt: timestamp,
    state: z
      .enum(['running', 'planned', 'applied', 'failed'])
      .describe('A plan that is ready waits for options or for being applied.'),
    dryRun: z.boolean().describe('Whether it only plans.'),
    stage: z.enum(['fetching', 'reading', 'applying']),
    done: z.number().int(),
    total: z.number().int().describe('0 while unknown.'),
    message: z.string().nullable().describe('Why it failed.'),
    apis: z.array(z.string()).describe('Slugs of the APIs in the document, once it was read.'),
  })
  .meta({ id: 'ImportJob' });

const jobOptions = importBody.omit({ url: true, text: true, files: true, root: true, dryRun: true });

export const importJobRoutes = {
  start: defineRoute({
    method: 'POST',
    path: '/import-jobs',
    id: 'startImportJob',
    tag: 'imports',
    access: 'editor',
    summary: 'Start an import that runs on its own, also through a restart of the gateway',
    status: 202,
    maxBodyBytes: 64 * 1024 * 1024,
    takesUploads: true,
    body: importBody.extend({
      label: z.string().min(1).max(200).describe('What people recognize it by, such as the file’s name.'),
      dryRun: z.boolean().default(true).describe('Plan only; apply the plan later.'),
    }),
    reply: importJobResource,
  }),
  list: defineRoute({
    method: 'GET',
    path: '/import-jobs',
    id: 'listImportJobs',
    tool: true,
    tag: 'imports',
    access: 'viewer',
    summary: 'List imports of the last day with their progress, newest first',
    status: 200,
    reply: z.object({ items: z.array(importJobResource) }),
  }),
  get: defineRoute({
    method: 'GET',
    path: '/import-jobs/:job',
    id: 'getImportJob',
    tag: 'imports',
    access: 'editor',
    summary: 'Show an import with its options and its latest plan or result',
    status: 200,
    reply: importJobResource.extend({
      options: jobOptions,
      result: importResults.nullable().describe('Null until it was read.'),
    }),
  }),
  run: defineRoute({
    method: 'POST',
    path: '/import-jobs/:job',
    id: 'runImportJob',
    tag: 'imports',
    access: 'editor',
    summary: 'Plan an import again with other options, or apply it',
    status: 202,
    body: jobOptions.extend({ dryRun: z.boolean().default(false).describe('Plan only.') }),
    reply: importJobResource,
  }),
  remove: defineRoute({
    method: 'DELETE',
    path: '/import-jobs/:job',
    id: 'removeImportJob',
    tag: 'imports',
    access: 'editor',
    summary: 'Cancel an import, or forget one that has ended',
    status: 204,
  }),
};
