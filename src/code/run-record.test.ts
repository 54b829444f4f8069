import { expect, it } from 'vitest';
import { newHandle } from '../replies/seal-parts.ts';
import type { CodeRun } from './code-runs.ts';
import { makeRunRecord } from './run-record.ts';

const run = (code: string, end: unknown) =>
  // Only what a record is made of.
  ({
    id: 'call_1',
    startedAtMs: 0,
    durationMs: 1,
    calls: [],
    request: {
      caller: { id: 'key:1', label: 'one' },
      view: { server: { slug: 'default' } },
      surface: 'mcp',
      code,
    },
    end,
  }) as unknown as CodeRun;

it('records scripts and what they return or report without the handles in them', () => {
  const handles = [newHandle('reply'), newHandle('upload')];
  const text = `read({ handle: "${handles.join('" }); send("')}" })`;
  const returned = makeRunRecord(run(text, { kind: 'returned', text }), true);
  const failed = makeRunRecord(run(text, { kind: 'failed', code: 'code_failed', message: text }), true);
  const recorded = JSON.stringify([returned, failed]);
  for (const handle of handles) expect(recorded).not.toContain(handle);
  expect(returned.argumentsText).toContain('reply_[masked]');
  expect(returned.replyText).toContain('upload_[masked]');
  expect(failed.message).toContain('reply_[masked]');
});
