import { expect, it } from 'vitest';
import { callRecord } from '../../../test/support/call-record.ts';
import { callLine } from './call-line.ts';

it('shows a call in one line, with what came of it', () => {
  const line = callLine(
    callRecord(1, {
      toolName: 'list_pets',
      argumentsText: '{"limit":5}',
      upstreamStatus: 200,
      durationMs: 12.4,
    }),
    false,
  );
  expect(line).toMatch(/^\d\d:\d\d:\d\d {2}✓ list_pets \{"limit":5\} {2}HTTP 200 · [\d,]+ tokens · 12 ms$/);
});

it('gives a terminal nothing to obey, whatever a caller sent', () => {
  const line = callLine(
    callRecord(1, {
      toolName: 'list\u001b[2Jpets',
      argumentsText: '{"a":"\u001b]0;title\u0007\n\u009b31m"}',
      outcome: 'upstream_status',
      message: 'no\r\n\u001b[31mway',
    }),
    false,
  );
  // oxlint-disable-next-line no-control-regex -- exactly these must not be there
  expect(line.replace('\n           ', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
});
