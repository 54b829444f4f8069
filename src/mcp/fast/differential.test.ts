import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { malformedRequests } from '../../../test/support/servers/malformed-requests.ts';
import { listedTool, modern, post, serverView, startSurface } from '../../../test/support/mcp-surface.ts';
import type { Surface } from '../../../test/support/mcp-surface.ts';
import { HandrailError } from '../../domain/errors.ts';
import { builtInToolNames } from '../../domain/names.ts';
import type { Call, Outcome } from '../../pipeline/call.ts';
import fc from '../../../test/support/property.ts';

// Every request goes to a surface with the fast lane and to one without. Answers and calls have to be the same.

const runs = Number(process.env['HANDRAIL_DIFFERENTIAL_RUNS'] ?? 600);

const view = serverView(
  'demo',
  [
    listedTool('weather', {
      type: 'object',
      properties: { city: { $ref: '#/$defs/city' } },
      required: ['city'],
      $defs: { city: { type: ['string', 'null'] } },
    }),
    listedTool('structured', undefined, {
      outputSchema: { type: 'object', properties: { a: { type: 'integer' } } },
    }),
    listedTool('fail'),
    listedTool('refuse'),
    listedTool('wait'),
    listedTool('empty'),
    listedTool('image'),
    listedTool('a_very_long_name_that_goes_on_and_on_until_it_is_sixty_four_long', undefined, {
      title: 'Long',
    }),
    listedTool('mirrored', {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    }),
  ],
  { instructions: 'Be kind.', description: 'A demo', prompts: [{ name: 'p', arguments: [], text: 'x' }] },
);

async function outcome(call: Call): Promise<Outcome> {
  switch (call.toolName) {
    case 'fail':
      return {
        kind: 'failed',
        error: new HandrailError('upstream_timeout', 'The API took too long.', { retryAfterMs: 1500 }),
      };
    case 'refuse':
      return { kind: 'failed', error: new HandrailError('invalid_arguments', 'city is missing.') };
    case 'wait':
      return {
        kind: 'waiting',
        waiting: {
          id: 'call_1',
          for: 'person',
          message: 'An operator must allow it.',
          sinceMs: 0,
          askAgainAfterMs: 30_000,
          expiresAtMs: 3_600_000,
        },
      };
    case 'image':
      return {
        kind: 'done',
        status: 200,
        output: { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }], structuredText: null },
      };
    case 'empty':
      return {
        kind: 'done',
        status: 204,
        output: { content: [{ type: 'text', text: '' }], structuredText: null },
      };
    case 'structured': {
      const text =
        call.arguments && (call.arguments as { bare?: unknown }).bare ? null : ' {"a": 1, "b": "\\u2028 é"}';
      return {
        kind: 'done',
        status: 200,
        output: { content: [{ type: 'text', text: text ?? 'bare' }], structuredText: text },
      };
    }
    default:
      return {
        kind: 'done',
        status: 200,
        output: {
          content: [{ type: 'text', text: `${JSON.stringify(call.arguments)} \u2028 "quoted" 😀` }],
          structuredText: null,
        },
      };
  }
}

// The same tools on a server that sets every option that changes a reply.
const options = serverView('options', view.tools, {
  ...view.server,
  id: 'srv_options',
  slug: 'options',
  selectArgument: true,
  pageArguments: true,
  listOutputSchemas: true,
  replyMaxTokens: 500,
  dialect: 'portable',
});

// Its list is put together from parts.
const large = serverView(
  'large',
  Array.from({ length: 120 }, (_, n) => listedTool(`${'x'.repeat(n)}_${n}`)),
);

let fast: Surface;
let reference: Surface;
beforeAll(async () => {
  fast = await startSurface({ views: [view, options, large], runCall: outcome });
  reference = await startSurface({ views: [view, options, large], runCall: outcome, fastLane: false });
});
afterAll(async () => {
  await Promise.all([fast.stop(), reference.stop()]);
});

interface Sent {
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  readonly slug?: 'demo' | 'options';
}

async function answerOf(
  surface: Surface,
  { body, headers, query, slug = 'demo' }: Sent,
  session: string | undefined,
) {
  surface.calls.length = 0;
  const response = await fetch(`${surface.url(slug)}${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
      ...(session !== undefined && { 'mcp-session-id': session }),
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  // Handles are random, and links and times follow from them.
  const text = (await response.text())
    .replaceAll(/reply_[\w-]{20,40}/g, 'reply_x')
    .replaceAll(/\/files\/[\w.~-]+/g, '/files/x')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d\d:\d\d(:\d\d)? UTC/g, 'then');
  const type = response.headers.get('content-type');
  return {
    status: response.status,
    type,
    hasSession: response.headers.has('mcp-session-id'),
    // Streams have names of their own.
    body:
      type === 'application/json' ? (JSON.parse(text) as unknown) : text.replaceAll(/^id: .*$/gm, 'id: …'),
    calls: surface.calls.map(({ toolName, arguments: args, client, surface: way, trace, tool }) => ({
      toolName,
      args,
      client,
      way,
      // What is drawn anew for each call differs between any two.
      trace: trace && { traceId: trace.traceId, parentId: trace.parentId, sampled: trace.sampled },
      id: tool.tool.id,
    })),
  };
}

async function openSession(surface: Surface, slug: string): Promise<string> {
  const response = await fetch(surface.url(slug), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: { roots: {} },
        clientInfo: { name: 'cursor-vscode', version: '1' },
      },
    }),
  });
  return response.headers.get('mcp-session-id')!;
}

async function bothAnswers(sent: Sent, sessions?: { fast: string; reference: string }) {
  const answers = await Promise.all([
    answerOf(fast, sent, sessions?.fast),
    answerOf(reference, sent, sessions?.reference),
  ]);
  return { fast: answers[0], reference: answers[1] };
}

const envelopeKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
};

const odd = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.string(),
  fc.constant([]),
  fc.constant({}),
  fc.boolean(),
  fc.double(),
);
const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: rare });

const toolName = mostly(
  fc.constantFrom(...view.tools.map((tool) => tool.name), ...builtInToolNames),
  fc.oneof(fc.string(), odd),
);
// What one of Handrail's own tools could be asked.
const builtInArguments = fc.oneof(
  fc.record(
    {
      query: mostly(fc.constantFrom('weather', 'does structured', 'nothing of it'), odd),
      limit: odd,
      kind: odd,
      api: odd,
    },
    { requiredKeys: ['query'] },
  ),
  fc.record({ names: fc.array(mostly(fc.constantFrom('weather', 'fail', 'none'), odd), { maxLength: 6 }) }),
  fc.record(
    {
      name: mostly(fc.constantFrom(...view.tools.map((tool) => tool.name)), odd),
      arguments: mostly(fc.constant({ city: 'a' }), odd),
    },
    { requiredKeys: ['name'] },
  ),
  fc.constant(JSON.parse('{"name":"weather","arguments":{"__proto__":{"x":1}}}') as object),
);
const toolArguments = mostly(
  fc.oneof(
    fc.constant({ city: 'Köln' }),
    fc.constant({}),
    fc.constant({ bare: true }),
    fc.record(
      {
        city: fc.constant('a'),
        _select: mostly(fc.constantFrom('a', '[', 'length(@)'), odd),
        _all: odd,
        _wait: odd,
      },
      { requiredKeys: [] },
    ),
    builtInArguments as fc.Arbitrary<object>,
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
    fc.constant(JSON.parse('{"__proto__":{"x":1},"city":"a"}') as object),
  ),
  odd,
);
const plainParams = fc.oneof(
  fc.constant(undefined),
  fc.constant({}),
  fc.record({ cursor: mostly(fc.constantFrom('0', '2', '99', 'x'), odd) }),
  fc.record({ unknown: odd }),
);
const callParams = fc
  .record({
    name: toolName,
    arguments: fc.option(toolArguments, { nil: undefined }),
    extra: mostly(fc.constant(undefined), odd),
  })
  .map(({ extra, ...rest }) => (extra === undefined ? rest : { ...rest, extra }));
const initializeParams = fc.record({
  protocolVersion: mostly(
    fc.constantFrom('2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2026-07-28', '1.0'),
    odd,
  ),
  capabilities: mostly(
    fc.constantFrom({}, { roots: { listChanged: true } }, { sampling: {}, elicitation: {} }),
    odd,
  ),
  clientInfo: mostly(
    fc.constantFrom({ name: 'x', version: '1' }, { name: 'gemini-cli', version: '2', title: 'G' }),
    odd,
  ),
});
const request = fc.oneof(
  { weight: 6, arbitrary: fc.record({ method: fc.constant('tools/call'), params: callParams }) },
  { weight: 3, arbitrary: fc.record({ method: fc.constant('tools/list'), params: plainParams }) },
  { weight: 1, arbitrary: fc.record({ method: fc.constant('server/discover'), params: plainParams }) },
  { weight: 1, arbitrary: fc.record({ method: fc.constant('ping'), params: plainParams }) },
  { weight: 2, arbitrary: fc.record({ method: fc.constant('initialize'), params: initializeParams }) },
  {
    weight: 1,
    arbitrary: fc.record({ method: fc.constant('notifications/initialized'), params: plainParams }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom('prompts/list', 'resources/list', 'x/y', ''),
      params: plainParams,
    }),
  },
);
const id = mostly(
  fc.oneof(fc.integer(), fc.string(), fc.constant(0), fc.constant('ü"')),
  fc.oneof(odd, fc.constant(undefined), fc.constant(2 ** 60)),
);
const meta = fc.record(
  {
    [envelopeKeys.version]: mostly(
      fc.constant('2026-07-28'),
      fc.oneof(fc.constantFrom('2025-06-18', '2030-01-01'), odd),
    ),
    [envelopeKeys.capabilities]: mostly(
      fc.constantFrom({}, { elicitation: { form: {} } }, { roots: {} }),
      odd,
    ),
    [envelopeKeys.client]: mostly(
      fc.constantFrom({ name: 'tester', version: '1' }, { name: 'Cursor', version: '0' }),
      odd,
    ),
    traceparent: mostly(fc.constant('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'), odd),
    other: odd,
  },
  { requiredKeys: [envelopeKeys.version, envelopeKeys.capabilities] },
);
const sent: fc.Arbitrary<Sent & { session: boolean }> = fc
  .record({
    request,
    id,
    era: fc.constantFrom('modern', 'legacy'),
    meta: mostly(meta, fc.oneof(odd, fc.constant(undefined))),
    wrongHeader: mostly(
      fc.constant(undefined),
      fc.constantFrom('mcp-method', 'mcp-name', 'mcp-protocol-version'),
    ),
    version: mostly(
      fc.constantFrom(undefined, '2025-11-25', '2025-06-18', '2025-03-26'),
      fc.constantFrom('2026-07-28', 'x', ''),
    ),
    accept: mostly(
      fc.constantFrom('application/json, text/event-stream', '*/*', 'application/json'),
      fc.constantFrom('text/html', 'text/event-stream'),
    ),
    member: mostly(fc.constant(undefined), fc.constantFrom('extra', 'result', 'error')),
    query: mostly(
      fc.constant(''),
      fc.constantFrom(
        '?dialect=portable',
        '?dialect=gemini',
        '?dialect=none',
        '?x',
        '?mode=search',
        '?mode=code',
        '?mode=x',
      ),
    ),
    session: fc.boolean(),
    slug: fc.constantFrom('demo', 'options'),
  })
  .map(
    ({
      request: { method, params },
      id: requestId,
      era,
      meta: envelope,
      wrongHeader,
      version,
      accept,
      member,
      query,
      session,
      slug,
    }) => {
      const full =
        era === 'modern'
          ? { ...(params as object), ...(envelope !== undefined && { _meta: envelope }) }
          : params;
      const name = (params as { name?: unknown } | undefined)?.name;
      const headers: Record<string, string> = { accept: accept as string };
      if (era === 'modern') {
        headers['mcp-protocol-version'] = '2026-07-28';
        headers['mcp-method'] = method;
        if (method === 'tools/call' && typeof name === 'string' && /^[\x21-\x7e]+$/.test(name))
          headers['mcp-name'] = name;
      } else if (version !== undefined) headers['mcp-protocol-version'] = version as string;
      if (wrongHeader !== undefined) headers[wrongHeader as string] = 'wrong';
      const message = {
        jsonrpc: '2.0',
        ...(requestId !== undefined && { id: requestId }),
        method,
        ...(full !== undefined && { params: full }),
        ...(member !== undefined && { [member as string]: 1 }),
      };
      return { body: JSON.stringify(message), headers, query: query as string, session, slug };
    },
  );

const legacyList = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('the fast lane and the SDK', () => {
  it(`agree on generated requests`, { timeout: 600_000 }, async () => {
    const sessionsOn = async (slug: string) => ({
      fast: await openSession(fast, slug),
      reference: await openSession(reference, slug),
    });
    const sessions = { demo: await sessionsOn('demo'), options: await sessionsOn('options') };
    await fc.assert(
      fc.asyncProperty(sent, async ({ session, ...rest }) => {
        const answers = await bothAnswers(rest, session ? sessions[rest.slug ?? 'demo'] : undefined);
        expect(answers.fast).toEqual(answers.reference);
      }),
      { numRuns: runs },
    );
  });

  it.each(['', '?dialect=portable', '?dialect=cursor'])('agree on long lists with "%s"', async (query) => {
    for (const { body, headers } of [modern('tools/list'), { body: legacyList, headers: {} }]) {
      const answers = await Promise.all(
        [fast, reference].map((surface) => post(`${surface.url('large')}${query}`, body, headers)),
      );
      expect(answers[0]!.json.result.tools).toHaveLength(120);
      expect(answers[0]!.json).toEqual(answers[1]!.json);
    }
  });

  it.each(malformedRequests)('agree on $what', async ({ body, headers = {} }) => {
    const answers = await bothAnswers({ body, headers, query: '' });
    expect(answers.fast).toEqual(answers.reference);
    expect(answers.fast.status).toBeLessThan(500);
  });
});
