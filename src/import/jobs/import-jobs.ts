import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Actor } from '../../domain/audit.ts';
import { importErrors } from '../../domain/error-messages/import.ts';
import { toHandrailError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { type ImportJob, importJob } from '../../domain/import-job.ts';
import { readJson } from '../../lib/schema/read-json.ts';
import type { OnClose } from '../../lib/close-stack.ts';
import type { ImportJobStore, StoredImportJob } from '../../storage/ports.ts';
import type { Importer, ImportRequest, ImportRun } from '../importer.ts';
import { type ByteSealing, type JobOptions, openContent, packContent, splitRequest } from './job-content.ts';

/** Imports that run on their own: they survive a closed page, signing out and a restart of the gateway. */
export interface ImportJobs {
  /** Starts a job; it runs whether or not anyone waits for it. */
  start(request: ImportRequest, label: string, actor: Actor): Promise<ImportJob>;
  /** Runs a job again with other options: another plan, or the import itself. */
  rerun(id: string, options: JobOptions & { readonly dryRun: boolean }, actor: Actor): Promise<ImportJob>;
  get(id: string): Promise<ImportJob>;
  /** The options that a job has now, and its last result; null while there is none. */
  contentOf(id: string): Promise<{ readonly options: JobOptions; readonly result: unknown }>;
  /** Newest first. Continues jobs whose process has ended. */
  list(): Promise<ImportJob[]>;
  /** Stops a job and forgets it. Changes that are being made can't be stopped. */
  remove(id: string): Promise<void>;
  /** Continues what the process before this one left behind; for a gateway that serves. */
  continueLeft(): void;
}

// An old plan would show changes to a registry that has moved on.
const keptForMs = 24 * 3_600_000;
const maxKept = 100;
/** A running job notes that it is alive this often, and its progress. */
const noteEveryMs = 1_000;
/** After this long without a note, its process has ended. */
const silentAfterMs = 6_000;
/** A document that ends the process that reads it must not end every later one. */
const maxStarts = 3;

/** Opens the import jobs of a store. */
export function openImportJobs(options: {
  readonly store: ImportJobStore;
  readonly importer: Pick<Importer, 'run' | 'running'>;
  /** What is stored of a finished run, as the admin API shows it. */
  readonly present: (run: ImportRun) => Promise<unknown>;
  readonly sealing: ByteSealing;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): ImportJobs {
  const { store, importer, present, sealing, log, now } = options;
  const me = randomUUID();
  const running = new Map<string, { readonly stop: AbortController; readonly ended: Promise<void> }>();
  let isClosing = false;

  const placeOf = (id: string, name: string): string => `import-job/${id}/${name}`;
  const pack = (id: string, name: string, value: unknown) => packContent(sealing, placeOf(id, name), value);
  const open = async (id: string, name: string): Promise<unknown> =>
    openContent(sealing, placeOf(id, name), await store.content(id, name));

  async function find(id: string): Promise<ImportJob> {
    const row = await store.get(id);
    const job = row && readJob(row);
    if (!job) throw importErrors.jobNotFound({ id });
    return job;
  }

  /** Runs a job that this process owns, to its end. */
  async function run(owned: ImportJob, stop: AbortController): Promise<void> {
    let job = owned;
    let writing: Promise<unknown> = Promise.resolve();
    /** Writes what has changed, unless someone else has changed the job since: then the run is obsolete. */
    const write = (change: Partial<ImportJob>, content?: Parameters<ImportJobStore['replace']>[1]) => {
      const replace = async () => {
        if (stop.signal.aborted && change.runner === undefined) return false;
        const next = { ...job, ...change, revision: job.revision + 1, updatedAtMs: now() };
        const isMine = await store.replace(rowOf(next), content);
        if (isMine) job = next;
        else stop.abort();
        return isMine;
      };
      const done = writing.then(replace);
      writing = done.catch(() => undefined);
      return done;
    };
    const noting = setInterval(() => {
      const at = importer.running().find(({ reference }) => reference === runReference);
      write(at === undefined ? {} : { stage: at.stage, ...at.progress }).catch((err: unknown) =>
        log.warn({ err, job: job.id }, 'import progress could not be stored'),
      );
    }, noteEveryMs);
    const runReference = `${job.id}/${job.revision}`;
    const { id, label, address } = job.by;
    const actor: Actor = { id, label, ...(address !== null && { address }) };
    try {
      const [input, given] = await Promise.all([open(job.id, 'document'), open(job.id, 'options')]);
      if (input === undefined || given === undefined) throw importErrors.jobUnreadable();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sealed: only `start` and `rerun` can have written it
      const request = { ...(given as JobOptions), input: input as ImportRequest['input'] };
      const outcome = await importer.run(
        { ...request, dryRun: job.dryRun, reference: runReference, signal: stop.signal },
        actor,
      );
      const result = await pack(job.id, 'result', await present(outcome));
      const ended: Partial<ImportJob> = {
        state: job.dryRun ? 'planned' : 'applied',
        apis: outcome.outcomes.map(({ plan }) => plan.api.slug),
        runner: null,
        message: null,
      };
      // What was read is no longer needed once it is imported.
      await write(ended, job.dryRun ? { result } : { result, document: [] });
    } catch (error) {
      if (isClosing) await write({ runner: null, starts: job.starts - 1 });
      else if (!stop.signal.aborted)
        await write({ state: 'failed', message: toHandrailError(error).message, runner: null });
    } finally {
      clearInterval(noting);
      await writing;
    }
  }

  function launch(job: ImportJob): void {
    const stop = new AbortController();
    const ended = run(job, stop)
      .catch((err: unknown) => log.error({ err, job: job.id }, 'an import job could not be stored'))
      .finally(() => {
        if (running.get(job.id)?.stop === stop) running.delete(job.id);
      });
    running.set(job.id, { stop, ended });
  }

  /** Continues jobs whose process has ended, and removes old ones. */
  async function resume(jobs: readonly ImportJob[]): Promise<void> {
    for (const job of jobs) {
      const isSilent = job.runner === null || now() - job.updatedAtMs > silentAfterMs;
      if (job.state !== 'running' || running.has(job.id) || !isSilent || isClosing) continue;
      const isHopeless = job.starts >= maxStarts;
      const next: ImportJob = {
        ...job,
        revision: job.revision + 1,
        updatedAtMs: now(),
        starts: job.starts + 1,
        runner: isHopeless ? null : me,
        ...(isHopeless && { state: 'failed', message: importErrors.jobGivenUp({ maxStarts }).message }),
      };
      if ((await store.replace(rowOf(next))) && !isHopeless) launch(next);
    }
  }

  async function listed(): Promise<ImportJob[]> {
    const rows = await store.list();
    const jobs = rows.flatMap((row) => readJob(row) ?? []);
    const isOld = (row: StoredImportJob, at: number) => at >= maxKept || now() - row.updatedAtMs > keptForMs;
    const old = new Set(rows.filter((row, at) => isOld(row, at) && !running.has(row.id)).map(({ id }) => id));
    await store.remove([...old]);
    return jobs.filter(({ id }) => !old.has(id));
  }

  const jobs: ImportJobs = {
    async start(request, label, { id, label: name, address }) {
      const atMs = now();
      const job: ImportJob = {
        id: newId('imp', atMs),
        revision: 1,
        label: label.slice(0, 200),
        hasAddress: 'url' in request.input,
        by: { id, label: name, address: address ?? null },
        startedAtMs: atMs,
        updatedAtMs: atMs,
        state: 'running',
        dryRun: request.dryRun,
        stage: 'url' in request.input ? 'fetching' : 'reading',
        done: 0,
        total: 0,
        runner: me,
        starts: 1,
        message: null,
        apis: [],
      };
      const { document, options: given } = splitRequest(request);
      await listed();
      await store.add(rowOf(job), {
        document: await pack(job.id, 'document', document),
        options: await pack(job.id, 'options', given),
      });
      launch(job);
      return job;
    },

    async rerun(id, { dryRun, ...given }, actor) {
      const before = await find(id);
      if (before.state === 'applied' || (before.state === 'running' && !before.dryRun))
        throw importErrors.jobAlreadyApplied();
      running.get(id)?.stop.abort();
      await running.get(id)?.ended;
      const latest = await find(id);
      const job: ImportJob = {
        ...latest,
        revision: latest.revision + 1,
        by: { id: actor.id, label: actor.label, address: actor.address ?? null },
        updatedAtMs: now(),
        state: 'running',
        dryRun,
        done: 0,
        total: 0,
        runner: me,
        starts: 1,
        message: null,
      };
      if (!(await store.replace(rowOf(job), { options: await pack(id, 'options', given) })))
        throw importErrors.jobChanged();
      launch(job);
      return job;
    },

    get: find,

    async contentOf(id) {
      const [given, result] = await Promise.all([open(id, 'options'), open(id, 'result')]);
      return { options: given ?? {}, result: result ?? null };
    },

    async list() {
      const found = await listed();
      await resume(found);
      return found;
    },

    async remove(id) {
      const job = await find(id);
      if (job.state === 'running' && !job.dryRun && job.stage === 'applying')
        throw importErrors.jobBeingApplied();
      running.get(id)?.stop.abort();
      await running.get(id)?.ended;
      await store.remove([id]);
    },

    continueLeft() {
      const look = () =>
        void jobs.list().catch((err: unknown) => log.error({ err }, 'imports could not be continued'));
      look();
      // By then, whatever ended without saying so is known to have ended.
      const later = setTimeout(look, silentAfterMs + noteEveryMs).unref();
      options.onClose(() => clearTimeout(later));
    },
  };

  options.onClose(async () => {
    isClosing = true;
    const ending = [...running.values()];
    for (const { stop } of ending) stop.abort();
    await Promise.all(ending.map(({ ended }) => ended));
  });
  return jobs;
}

const rowOf = (job: ImportJob): StoredImportJob => ({
  id: job.id,
  revision: job.revision,
  updatedAtMs: job.updatedAtMs,
  text: JSON.stringify(job),
});

/** Null for a row that is damaged or written by a newer version. */
function readJob(row: StoredImportJob): ImportJob | null {
  const job = readJson(importJob, row.text);
  return job?.id === row.id && job.revision === row.revision ? job : null;
}
