// Generated calls, the same each time. They are defined twice: as SQL, because PostgreSQL generates millions of
// rows much faster than it accepts them one by one, and as numbers, to add them up without reading them back
// and to create the records for SQLite.

const dayMs = 86_400_000;

/** What the generated calls have in common. */
export const world = { tools: 100, servers: 10, callers: 50, clients: 8, days: 90 };

// A number from 0 to 999 that looks random; each use has its own multiplier and salt. Products stay below 2 **
// 53, so that both definitions give the same result.
const spreads = {
  tool: [223_092_871, 12_345],
  server: [22_695_477, 101],
  caller: [69_069, 907],
  client: [134_775_813, 7],
  fast: [214_013, 2_531],
  slow: [314_159_269, 77],
  slower: [16_807, 5],
  failed: [48_271, 3],
};
const spreadSql = ([multiplier, salt]) => `((i * ${multiplier} + ${salt}) % 2147483647 / 7 % 1000)`;
const spread = ([multiplier, salt], i) => Math.floor(((i * multiplier + salt) % 2_147_483_647) / 7) % 1_000;

// A few are busy and most are not, as in real life.
const pickSql = (name, count) =>
  `(${spreadSql(spreads[name])} * ${spreadSql(spreads[name])} * ${count} / 1000000)`;
const pick = (name, count, i) => Math.floor((spread(spreads[name], i) ** 2 * count) / 1_000_000);

const outcomes = ['ok', 'upstream_status', 'upstream_timeout', 'rate_limited'];
const failuresIn1000 = 30;

/** What roll-ups need of call `i`: indexes into the lists of `namesOf`, and numbers. */
export function figuresOf(i) {
  const failed = spread(spreads.failed, i) < failuresIn1000;
  return {
    tool: pick('tool', world.tools, i),
    server: pick('server', world.servers, i),
    caller: pick('caller', world.callers, i),
    client: pick('client', world.clients, i),
    outcome: failed ? (i % 7 < 4 ? 1 : i % 7 < 6 ? 2 : 3) : 0,
    // Most take tens of milliseconds, some take seconds.
    durationMs: 1 + (spread(spreads.fast, i) * spread(spreads.slow, i) * spread(spreads.slower, i)) / 500_000,
    replyBytes: i % 4_001,
    outputTokens: i % 997,
  };
}

const callerId = (n) => `key:key_${String(n).padStart(26, '0')}`;

/** Names and labels that `figuresOf` returns indexes into. */
export const namesOf = {
  tool: Array.from({ length: world.tools }, (_, n) => [`tool_number_${n}`, `tool_number_${n}`]),
  server: Array.from({ length: world.servers }, (_, n) => [`server-${n}`, `server-${n}`]),
  caller: Array.from({ length: world.callers }, (_, n) => [callerId(n), 'A caller']),
  client: Array.from({ length: world.clients }, (_, n) => [`client-${n}`, `client-${n}`]),
  outcome: outcomes.map((name) => [name, name]),
};

/** When call `i` of `wanted` started: they are spread evenly over the days before `toMs`. */
export const startedAt = (i, wanted, toMs) =>
  toMs - world.days * dayMs + Math.floor((i * world.days * dayMs) / wanted);

/** A number as text, padded with zeros to 26 characters. */
const padded = (n) => `substr('${'0'.repeat(26)}' || ${n}, length('${'0'.repeat(26)}' || ${n}) - 25)`;

// One call in twenty thousand made the four that follow it.
const callsPerParent = 20_000;
const hasParent = `i % ${callsPerParent} between 1 and 4`;
const callId = (i) => `call_${String(i).padStart(26, '0')}`;

/** The call that call `i` was made for, if any. */
export function parentOf(i) {
  const after = i % callsPerParent;
  return after >= 1 && after <= 4 ? callId(i - after) : null;
}

const columns = {
  id: `'call_' || ${padded('i')}`,
  parent_id: `case when ${hasParent} then 'call_' || ${padded(`(i - i % ${callsPerParent})`)} end`,
  layout: `case when ${hasParent} then 2 else 1 end`,
  tool_id: `'tool_tool_number_' || tool`,
  tool_name: `'tool_number_' || tool`,
  api_slug: `'api'`,
  server_slug: `'server-' || ${pickSql('server', world.servers)}`,
  surface: `'mcp'`,
  caller_id: `'key:key_' || ${padded('caller')}`,
  caller_label: `'A caller'`,
  client_name: `'client-' || ${pickSql('client', world.clients)}`,
  client_version: `'1.0.0'`,
  started_at_ms: 'started',
  duration_ms: 'duration',
  upstream_ms: 'duration * 0.9',
  upstream_status: 'case when failed then 500 else 200 end',
  outcome: `case when not failed then 'ok' when i % 7 < 4 then 'upstream_status' when i % 7 < 6 then 'upstream_timeout' else 'rate_limited' end`,
  message: `case when failed then 'The API answered HTTP 500.' end`,
  tries: '1',
  cached: '0',
  request_bytes: '0',
  reply_bytes: 'i % 4001',
  arguments_text: `'{"location":"city ' || (i % 1000) || '"}'`,
  reply_text: `'{"temperature":' || (i % 40) || ',"unit":"celsius","station":"station ' || (i % 5000) || '"}'`,
  request_line: `'GET https://api.example.com/v1/weather?city=' || (i % 1000)`,
  output_tokens: 'i % 997',
  steps_text: `'[["prepare",0.01,0.05],["send",0.07,' || (i % 400) || ',"HTTP 200"],["shape",9,0.05]]'`,
};

/** Call `i` as the recorder would pass it on. */
export function recordOf(i, wanted, toMs) {
  const figures = figuresOf(i);
  const failed = figures.outcome !== 0;
  const tool = namesOf.tool[figures.tool][0];
  return {
    id: callId(i),
    parentId: parentOf(i),
    toolId: `tool_${tool}`,
    toolName: tool,
    apiSlug: 'api',
    serverSlug: namesOf.server[figures.server][0],
    surface: 'mcp',
    callerId: namesOf.caller[figures.caller][0],
    callerLabel: 'A caller',
    clientName: namesOf.client[figures.client][0],
    clientVersion: '1.0.0',
    startedAtMs: startedAt(i, wanted, toMs),
    durationMs: figures.durationMs,
    upstreamMs: figures.durationMs * 0.9,
    upstreamStatus: failed ? 500 : 200,
    outcome: outcomes[figures.outcome],
    message: failed ? 'The API answered HTTP 500.' : null,
    tries: 1,
    cached: false,
    requestBytes: 0,
    replyBytes: figures.replyBytes,
    argumentsText: `{"location":"city ${i % 1000}"}`,
    replyText: `{"temperature":${i % 40},"unit":"celsius","station":"station ${i % 5000}"}`,
    requestLine: `GET https://api.example.com/v1/weather?city=${i % 1000}`,
    outputTokens: figures.outputTokens,
    steps: [
      { name: 'prepare', startMs: 0.01, durationMs: 0.05 },
      { name: 'send', startMs: 0.07, durationMs: i % 400, note: 'HTTP 200' },
      { name: 'shape', startMs: 9, durationMs: 0.05 },
    ],
  };
}

/** A statement for PostgreSQL that inserts the calls numbered `first` to `last`. */
export function insertStatement({ first, last, wanted, toMs }) {
  const names = Object.keys(columns).join(', ');
  const lengthMs = world.days * dayMs;
  const numbers = `select i from generate_series(${first}::bigint, ${last}::bigint) as n(i)`;
  const parts =
    `select i, ${pickSql('tool', world.tools)} as tool, ${pickSql('caller', world.callers)} as caller, ` +
    `(1 + ${spreadSql(spreads.fast)} * ${spreadSql(spreads.slow)} * ${spreadSql(spreads.slower)} / 500000.0) as duration, ` +
    `(${spreadSql(spreads.failed)} < ${failuresIn1000}) as failed, ` +
    `${toMs - lengthMs} + i * ${lengthMs} / ${wanted} as started from (${numbers}) as numbers`;
  return `insert into call_records (${names}) select ${Object.values(columns).join(', ')} from (${parts}) as made`;
}
