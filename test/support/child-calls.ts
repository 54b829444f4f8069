import { localCaller } from '../../src/access/callers.ts';
import { noFollowUp } from '../../src/domain/pages/follow-up.ts';
import type { Gateway } from '../../src/gateway.ts';

/** Makes a call of a demo tool, and others that it makes on its way, one for each query. Returns the id of the first. */
export async function makeCallWithChildren(gateway: Gateway, queries: readonly string[]): Promise<string> {
  const { calls, answerCall, registry } = gateway.context;
  const view = registry.snapshot.view('default')!;
  const parent = calls.make({
    view,
    toolName: 'weather_get',
    caller: localCaller,
    client: { name: 'parents' },
    surface: 'cli',
    arguments: { location: 'Bern' },
    signal: new AbortController().signal,
    clientHeaders: null,
    traceparent: undefined,
    followUp: noFollowUp,
  })!;
  await answerCall(parent);
  for (const query of queries)
    await answerCall(calls.makeChild(parent, view, 'search_documents', { query })!);
  return parent.id;
}
