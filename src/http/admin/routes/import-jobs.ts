import type { z } from 'zod';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import type { ImportJob } from '../../../domain/import-job.ts';
import { roleAllows } from '../../../domain/person.ts';
import type { JobOptions } from '../../../import/jobs/job-content.ts';
import type { AppContext } from '../../app-context.ts';
import { importJobRoutes } from '../../contract/import-jobs.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { time } from '../views.ts';
import { readOptions, readRequest } from './imports.ts';

type Shown = z.output<typeof importJobRoutes.get.reply>;

/** Imports that run on their own. */
export function bindImportJobs({ importJobs }: AppContext): BoundRoute[] {
  return [
    bind(importJobRoutes.start, async ({ body: { label, ...body }, actor, admin }) => {
      if (body.agreeOrigins?.length && !roleAllows(admin.role, 'owner'))
        throw adminApiErrors.originsNeedOwner();
      return viewJob(await importJobs.start(readRequest(body), label, actor), actor.id);
    }),
    bind(importJobRoutes.list, async ({ actor }) => ({
      items: (await importJobs.list()).map((job) => viewJob(job, actor.id)),
    })),
    bind(importJobRoutes.get, async ({ params, actor }) => {
      const job = await importJobs.get(params.job);
      const { options, result } = await importJobs.contentOf(job.id);
      return {
        ...viewJob(job, actor.id),
        options: viewOptions(options),
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sealed: only viewImport made it
        result: result as Shown['result'],
      };
    }),
    bind(importJobRoutes.run, async ({ params, body: { dryRun, ...body }, actor, admin }) => {
      if (body.agreeOrigins?.length && !roleAllows(admin.role, 'owner'))
        throw adminApiErrors.originsNeedOwner();
      return viewJob(await importJobs.rerun(params.job, { ...readOptions(body), dryRun }, actor), actor.id);
    }),
    bind(importJobRoutes.remove, ({ params }) => importJobs.remove(params.job)),
  ];
}

function viewJob(job: ImportJob, viewerId: string) {
  const {
    id,
    label,
    hasAddress,
    by,
    startedAtMs,
    updatedAtMs,
    state,
    dryRun,
    stage,
    done,
    total,
    message,
    apis,
  } = job;
  return {
    id,
    label,
    hasAddress,
    by: by.label,
    isMine: by.id === viewerId,
    startedAt: time(startedAtMs),
    updatedAt: time(updatedAtMs),
    state,
    dryRun,
    stage,
    done,
    total,
    message,
    apis: [...apis],
  };
}

/** Options as a body has them. */
function viewOptions({ selection, rules, ...rest }: JobOptions): Shown['options'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reverse of readOptions
  return { ...rest, ...(selection && { select: selection }), ...rules } as Shown['options'];
}
