import { expect, it } from 'vitest';
import { anonymous, serverView } from '../../test/support/mcp-surface.ts';
import { createCallMaker } from '../calls/make-call.ts';
import { createCodeRuns } from './code-runs.ts';

it('prints what a search says besides its results, once', async () => {
  const view = serverView('shop', []);
  const answers: string[] = [];
  const { run } = createCodeRuns({
    sandbox: {
      async run({ answer }) {
        for (let n = 0; n < 2; n++) answers.push((await answer('search', '{"query":"orders"}')).text);
        return { end: { kind: 'returned', text: '1' }, usage: { cpuMs: 0, memoryBytes: 0 } };
      },
    },
    calls: createCallMaker({ traced: false, now: () => 0 }),
    answerCall: () => Promise.reject(new Error('no call is made')),
    budget: { keepWhole: async () => null },
    lookUps: {
      search: async () => ({ results: [{ name: 'list_orders' }], note: 'By name only.' }),
      read: async () => null,
    },
    listedView: () => view,
    journal: { open: () => ({ around: (_call, _path, work) => work(), ended: async () => {} }) },
    record: () => {},
    now: () => 0,
  });
  const { printed } = await run({
    view,
    code: '',
    caller: anonymous,
    client: null,
    surface: 'mcp',
    signal: { aborted: false },
  } as never);
  expect(answers).toEqual(Array(2).fill('[{"name":"list_orders"}]'));
  expect(printed).toEqual(['By name only.']);
});
