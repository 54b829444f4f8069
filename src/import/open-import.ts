import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import { importErrors } from '../domain/error-messages/import.ts';
import type { OnClose } from '../lib/close-stack.ts';
import { createWorkQueue } from '../lib/timing/work-queue.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServingRules } from '../registry/rules/servers.ts';
import type { ClaimWork } from '../storage/claim-work.ts';
import type { MetaStore } from '../storage/ports.ts';
import type { FetchGuarded } from '../upstream/fetch-guarded.ts';
import { createImporter, type Importer, type ImporterOptions } from './importer.ts';
import { parseInThread } from './reading/parse-in-thread.ts';
import { createSourceChecks, type SourceChecks } from './sources/source-checks.ts';
import { createSourceWatcher, type SourceWatcher } from './sources/watch-sources.ts';

/** Imports descriptions of APIs into the registry. */
export interface Imports {
  readonly importer: Importer;
  readonly sourceChecks: SourceChecks;
  /** Checks watched URLs once it is started. */
  readonly sources: SourceWatcher;
}

// Each keeps its document in memory while it waits.
const maxQueued = 20;

/** Creates the importer, and the watcher of the URLs that APIs were imported from. */
export function openImport(options: {
  readonly config: Pick<Config, 'maxImports' | 'refreshRemovesAtMost'>;
  readonly meta: MetaStore;
  readonly registry: Registry;
  readonly fetch: FetchGuarded;
  readonly explainRefusal: ImporterOptions['explainRefusal'];
  readonly claimWork: ClaimWork;
  readonly decideCredential: ImporterOptions['decideCredential'];
  readonly decideOrigins: ImporterOptions['decideOrigins'];
  readonly rules: ServingRules;
  readonly log: Logger;
  readonly now: () => number;
  readonly onClose: OnClose;
}): Imports {
  const {
    config,
    meta,
    registry,
    fetch,
    explainRefusal,
    decideCredential,
    decideOrigins,
    rules,
    log,
    now,
    onClose,
  } = options;
  const sourceChecks = createSourceChecks(meta);
  const queue = createWorkQueue({ running: config.maxImports, waiting: maxQueued });
  const parse: typeof parseInThread = async (input, limits) => {
    const parsing = queue.run(() => parseInThread(input, limits), { signal: limits?.signal });
    if (parsing === null) throw importErrors.tooManyImports({ maxQueued }, { retryAfterMs: 10_000 });
    return parsing;
  };
  const importer = createImporter({
    registry,
    sourceChecks,
    fetch,
    explainRefusal,
    decideCredential,
    decideOrigins,
    rules,
    removesAtMost: config.refreshRemovesAtMost / 100,
    now,
    parse,
  });
  const sources = createSourceWatcher({
    registry,
    importer,
    sourceChecks,
    claimWork: options.claimWork,
    now,
    onChange: (api, outcomes) =>
      log.info({ api: api.slug, apis: outcomes.length }, 'watched document changed'),
    onTrouble: (api, err) => log.warn({ api: api.slug, err }, 'watched document could not be imported'),
  });
  onClose(() => sources.close());
  return { importer, sourceChecks, sources };
}
