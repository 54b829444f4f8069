import { expect, it } from 'vitest';
import { callRecord } from '../../../test/support/call-record.ts';
import { rollupColumns, RollupSums } from '../../storage/roll-up.ts';

it('counts the tokens of gathered pages once, in the call that they were gathered for', () => {
  const sums = new RollupSums();
  const page = { outputTokens: 1_000, readTokens: 0, replyBytes: 4_000 };
  sums.add(callRecord(1, page));
  sums.add(callRecord(1, page));
  sums.add(callRecord(2, { outputTokens: 2_000, readTokens: 300, replyBytes: 0 }));
  const [row] = sums.take().filter(([dimension, width]) => dimension === 'all' && width === 'minute');
  const told = Object.fromEntries(rollupColumns.map((name, at) => [name, row![at]]));
  expect(told).toMatchObject({ calls: 3, reply_bytes: 8_000, output_tokens: 2_000, saved_tokens: 1_700 });
});
