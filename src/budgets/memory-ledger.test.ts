import { describeGrants } from '../../test/support/store-contract/budget-ledger.ts';
import { createMemoryLedger } from './memory-ledger.ts';

describeGrants('the parent process', async () => {
  const ledger = createMemoryLedger(Date.now);
  const way = { ask: async (...asked: Parameters<typeof ledger.ask>) => ledger.ask(...asked) };
  return { ways: [way, way, way], close: async () => {} };
});
