import { afterEach } from 'vitest';
import type { StoreOptions } from '../../../src/storage/open-store.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/ports.ts';
import { describeAccounts } from './accounts.ts';
import { describeAudit } from './audit.ts';
import { describeCalls } from './calls.ts';
import { describeCheckRuns } from './check-runs.ts';
import { describeGrants } from './grants.ts';
import { describeImportJobs } from './import-jobs.ts';
import { describeKeptReplies } from './kept-replies.ts';
import { describeLife } from './life.ts';
import type { StorePlace } from './place.ts';
import { describeRegistry } from './registry.ts';
import { describeRollups } from './rollups.ts';
import { describeScriptJournal } from './script-journal.ts';
import { describeSessionsAndFacts } from './sessions-and-facts.ts';

/** Proves that a store keeps the promises of src/storage/ports.ts; `makeEmpty` makes a new, empty place for one. */
export function describeStore(name: string, makeEmpty: () => Promise<StoreOptions>): void {
  const opened: Store[] = [];
  const open = async (place: StoreOptions): Promise<Store> => {
    const store = await openStore(place);
    opened.push(store);
    return store;
  };
  const openEmpty = async () => open(await makeEmpty());
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });

  const place: StorePlace = { name, makeEmpty, open, openEmpty };
  describeRegistry(place);
  describeCalls(place);
  describeRollups(place);
  describeScriptJournal(place);
  describeAudit(place);
  describeSessionsAndFacts(place);
  describeKeptReplies(place);
  describeCheckRuns(place);
  describeImportJobs(place);
  describeGrants(place);
  describeAccounts(place);
  describeLife(place);
}
