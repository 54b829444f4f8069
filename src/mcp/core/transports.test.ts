import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  anonymous,
  listedTool,
  modern,
  serverView,
  startSurface,
} from '../../../test/support/mcp-surface.ts';
import type { Surface } from '../../../test/support/mcp-surface.ts';
import { HandrailError } from '../../domain/errors.ts';
import { builtInToolNames } from '../../domain/names.ts';
import { listModes } from '../../domain/server.ts';
import type { Call, Outcome } from '../../pipeline/call.ts';
import { createLineChannel } from '../stdio/line-channel.ts';
import { type MethodName, methodNames } from './core.ts';

// Each method of the core's table is asked of every transport, in both eras and in every mode: results have to be equal.

const view = serverView(
  'demo',
  [
    listedTool(
      'weather',
      { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      { outputSchema: { type: 'object', properties: { a: { type: 'integer' } } } },
    ),
    listedTool('refuses'),
    listedTool('long'),
  ],
  {
    // Every option that changes a reply.
    selectArgument: true,
    pageArguments: true,
    listOutputSchemas: true,
    replyMaxTokens: 600,
    code: { may: 'write' },
    instructions: 'Be kind.',
    prompts: [
      {
        name: 'greet',
        arguments: [{ name: 'who', required: true, values: ['Ann', 'Bob'] }],
        text: 'Hi {{who}}',
      },
    ],
    resources: [{ uri: 'note://one', name: 'One', text: 'A note' }],
  },
);

async function outcome(call: Call): Promise<Outcome> {
  if (call.toolName === 'refuses')
    return { kind: 'failed', error: new HandrailError('invalid_arguments', 'city is missing.') };
  const text =
    call.toolName === 'long'
      ? JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ n, name: `record ${n}` })))
      : '{"a":1}';
  const structuredText = call.toolName === 'weather' ? text : null;
  return { kind: 'done', status: 200, output: { content: [{ type: 'text', text }], structuredText } };
}

const calls = [
  { name: 'weather', arguments: { city: 'Bern' } },
  { name: 'weather', arguments: { city: 'Bern', _select: 'a' } },
  { name: 'refuses', arguments: { _select: 'a' } },
  { name: 'refuses', arguments: { _all: true } },
  { name: 'refuses', arguments: { _wait: true } },
  { name: 'refuses', arguments: { _select: 'a[' } },
  { name: 'refuses', arguments: {} },
  { name: 'call_read', arguments: { name: 'refuses', arguments: {} } },
  { name: 'call_read', arguments: { name: 'none' } },
  { name: 'call_write', arguments: { name: 'weather', arguments: {} } },
  ...builtInToolNames.map((name) => ({
    name,
    arguments: { query: 'weather', names: ['weather'], name: 'weather' },
  })),
  { name: 'none', arguments: {} },
];

// What each method is asked. A method without an entry does not compile.
const asked: Readonly<Record<MethodName, readonly Record<string, unknown>[]>> = {
  initialize: [],
  'server/discover': [],
  ping: [{}],
  'tools/list': [{}],
  'tools/call': calls,
  'prompts/list': [{}],
  'prompts/get': [{ name: 'greet', arguments: { who: 'Ann' } }, { name: 'greet' }, { name: 'none' }],
  'resources/list': [{}],
  'resources/templates/list': [{}],
  'resources/read': [{ uri: 'note://one' }, { uri: 'note://none' }],
  'resources/subscribe': [],
  'resources/unsubscribe': [],
  'completion/complete': [
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'a' } },
    { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'who', value: '' } },
  ],
};
// Opening a connection differs by nature, and needs one that stays open: the differential suite compares these.
const openings = ['initialize', 'server/discover', 'resources/subscribe', 'resources/unsubscribe'];
const onlyLegacy = ['ping'];

let fast: Surface;
let sdk: Surface;
beforeAll(async () => {
  fast = await startSurface({ views: [view], runCall: outcome });
  sdk = await startSurface({ views: [view], runCall: outcome, fastLane: false });
});
afterAll(async () => {
  await Promise.all([fast.stop(), sdk.stop()]);
});

interface Answer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

async function overHttp(surface: Surface, era: string, mode: string, method: string, params: object) {
  const { body, headers } =
    era === 'modern'
      ? modern(method, { ...params })
      : {
          body: { jsonrpc: '2.0', id: 1, method, params },
          headers: { 'mcp-protocol-version': '2025-11-25' } as Record<string, string>,
        };
  const response = await fetch(`${surface.url('demo')}?mode=${mode}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

async function overLines(era: string, mode: string, method: string, params: object): Promise<Answer> {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const channel = createLineChannel(input, output);
  const served = await fast.handler.serveLines(channel, 'demo', anonymous, new Set(), mode);
  const send = async (message: object) => {
    input.write(`${JSON.stringify(message)}\n`);
    return JSON.parse(((await lines.next()) as { value: string }).value) as Answer;
  };
  try {
    if (era === 'modern') return await send(modern(method, { ...params }).body);
    await send({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    });
    input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return await send({ jsonrpc: '2.0', id: 1, method, params });
  } finally {
    await served.close();
  }
}

/** What does not depend on the transport or the era: handles are new each time, and icons need an address. */
function essence({ result, error }: Answer): unknown {
  if (error !== undefined) return { error: error.message };
  const ofTheEra = new Set(['_meta', 'resultType', 'ttlMs', 'cacheScope']);
  const text = JSON.stringify(
    Object.fromEntries(Object.entries(result!).filter(([name]) => !ofTheEra.has(name))),
  )
    .replaceAll(/reply_[\w-]+/g, 'reply_x')
    .replaceAll(/\/files\/[\w.~-]+/g, '/files/x')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d\d:\d\d(:\d\d)? UTC/g, 'then');
  return JSON.parse(text);
}

const cases = methodNames
  .filter((method) => !openings.includes(method))
  .flatMap((method) => asked[method].map((params) => ({ method, params, title: JSON.stringify(params) })));

describe.each(listModes)('in %s mode, every transport', (mode) => {
  it.each(cases)('answers $method $title alike', async ({ method, params }) => {
    const eras = onlyLegacy.includes(method) ? ['legacy'] : ['legacy', 'modern'];
    const answers = await Promise.all(
      eras.flatMap((era) => [
        overHttp(fast, era, mode, method, params),
        overHttp(sdk, era, mode, method, params),
        overLines(era, mode, method, params),
      ]),
    );
    const [first, ...others] = answers.map(essence);
    for (const other of others) expect(other).toEqual(first);
  });

  it('lists and calls the same from within', async () => {
    const client = await fast.handler.openClient({
      view,
      mode,
      caller: anonymous,
      client: { name: 'x', version: '1' },
      surface: 'mcp',
      run: {
        id: 'call_x',
        caller: anonymous,
        client: null,
        surface: 'mcp',
        signal: { aborted: false },
        clientHeaders: null,
        trace: null,
      },
      isDraft: false,
      onCall: () => {},
      onScript: () => {},
    });
    expect({ tools: client.tools }).toEqual(essence(await overHttp(fast, 'legacy', mode, 'tools/list', {})));
    for (const { name, arguments: args } of calls) {
      const { result, error } = await overHttp(fast, 'legacy', mode, 'tools/call', { name, arguments: args });
      const { text } = await client.call(name, args, new AbortController().signal);
      const content = (result?.['content'] ?? []) as { readonly text?: string; readonly name?: string }[];
      const told = error?.message ?? content.map((part) => part.text ?? '').join('\n');
      expect(essence({ result: { text: text.split('\n[', 1)[0] } }), name).toEqual(
        essence({ result: { text: told.split('\n[', 1)[0]!.trimEnd() } }),
      );
    }
  });
});
