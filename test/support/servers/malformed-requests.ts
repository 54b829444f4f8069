/** A request body that is wrong in one way, with headers that differ from the usual ones. */
export interface MalformedRequest {
  readonly what: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const meta =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
const modernHeaders = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'weather',
};
const modern = (params: string, rest = '') =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}${rest}}`;

/** The test catalogue of malformed requests. Every one has an answer that is an error, or a result that says so. */
export const malformedRequests: readonly MalformedRequest[] = [
  { what: 'an empty body', body: '' },
  { what: 'a body of spaces', body: '   ' },
  { what: 'a truncated body', body: '{"jsonrpc":"2.0","id":1,' },
  { what: 'a byte order mark', body: '\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}' },
  { what: 'invalid UTF-8', body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
  { what: 'a duplicate key', body: '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}' },
  {
    what: 'a duplicate key far inside',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":{"city":"a","city":"b"}}}',
  },
  { what: 'nesting without end', body: '['.repeat(100_000) },
  {
    what: 'nesting too deep',
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":${'{"a":'.repeat(80)}1${'}'.repeat(80)}}}`,
  },
  { what: 'null', body: 'null' },
  { what: 'a number', body: '42' },
  { what: 'a string', body: '"ping"' },
  { what: 'an empty batch', body: '[]' },
  { what: 'a batch with nonsense', body: '[1,2,3]' },
  {
    what: 'a batch of the modern revision',
    body: `[{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${meta}}}]`,
    headers: { 'mcp-protocol-version': '2026-07-28' },
  },
  { what: 'no jsonrpc', body: '{"id":1,"method":"ping"}' },
  { what: 'jsonrpc 1.0', body: '{"jsonrpc":"1.0","id":1,"method":"ping"}' },
  { what: 'jsonrpc as a number', body: '{"jsonrpc":2.0,"id":1,"method":"ping"}' },
  { what: 'no method', body: '{"jsonrpc":"2.0","id":1}' },
  { what: 'a method that is not text', body: '{"jsonrpc":"2.0","id":1,"method":7}' },
  { what: 'an id of null', body: '{"jsonrpc":"2.0","id":null,"method":"ping"}' },
  { what: 'a fractional id', body: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}' },
  { what: 'an id that is an object', body: '{"jsonrpc":"2.0","id":{},"method":"ping"}' },
  { what: 'an id beyond the safe integers', body: '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}' },
  { what: 'params that are a list', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}' },
  { what: 'params that are text', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}' },
  { what: 'params of null', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}' },
  { what: 'a member too many', body: '{"jsonrpc":"2.0","id":1,"method":"ping","extra":true}' },
  { what: 'a result beside a method', body: '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}' },
  { what: 'an unknown method', body: '{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}' },
  { what: 'a method of the prototype', body: '{"jsonrpc":"2.0","id":1,"method":"constructor"}' },
  { what: 'a call without params', body: '{"jsonrpc":"2.0","id":1,"method":"tools/call"}' },
  { what: 'a call without a name', body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}' },
  {
    what: 'a call with a number for a name',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}',
  },
  {
    what: 'a call of an unknown tool',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing","arguments":{}}}',
  },
  {
    what: 'a call of __proto__',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}',
  },
  {
    what: 'arguments that are a list',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":[1]}}',
  },
  {
    what: 'arguments that are text',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":"{}"}}',
  },
  {
    what: 'arguments of null',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":null}}',
  },
  {
    what: 'a cursor that is a number',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":3}}',
  },
  {
    what: 'an unknown cursor',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"zzz"}}',
  },
  { what: 'an initialize without params', body: '{"jsonrpc":"2.0","id":1,"method":"initialize"}' },
  {
    what: 'an initialize without a client',
    body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}',
  },
  {
    what: 'an initialize with a modern header',
    body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}',
    headers: { 'mcp-protocol-version': '2026-07-28' },
  },
  {
    what: 'two initializes at once',
    body: '[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}},{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}]',
  },
  {
    what: 'an unknown legacy revision',
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    headers: { 'mcp-protocol-version': '2023-01-01' },
  },
  {
    what: 'a future revision',
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    headers: { 'mcp-protocol-version': '2099-01-01' },
  },
  {
    what: 'nothing acceptable',
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    headers: { accept: 'text/html' },
  },
  {
    what: 'a batch in a revision without',
    body: '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    headers: { 'mcp-protocol-version': '2025-06-18' },
  },
  {
    what: 'a modern header without an envelope',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
  },
  {
    what: 'an envelope without capabilities',
    body: modern('"name":"weather","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'),
    headers: modernHeaders,
  },
  {
    what: 'capabilities that are a list',
    body: modern(
      '"name":"weather","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]}',
    ),
    headers: modernHeaders,
  },
  {
    what: 'a capability that is text',
    body: modern(
      '"name":"weather","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":"yes"}}',
    ),
    headers: modernHeaders,
  },
  {
    what: 'a client without a version',
    body: modern(
      '"name":"weather","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x"}}',
    ),
    headers: modernHeaders,
  },
  {
    what: 'an unknown modern revision',
    body: modern(
      '"name":"weather","_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientCapabilities":{}}',
    ),
    headers: { ...modernHeaders, 'mcp-protocol-version': '2030-01-01' },
  },
  {
    what: 'a legacy revision in an envelope',
    body: modern(
      '"name":"weather","_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18","io.modelcontextprotocol/clientCapabilities":{}}',
    ),
    headers: modernHeaders,
  },
  {
    what: 'no version header',
    body: modern(`"name":"weather","arguments":{},${meta}`),
    headers: { 'mcp-method': 'tools/call', 'mcp-name': 'weather' },
  },
  {
    what: 'no method header',
    body: modern(`"name":"weather","arguments":{},${meta}`),
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-name': 'weather' },
  },
  {
    what: 'no name header',
    body: modern(`"name":"weather","arguments":{},${meta}`),
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
  },
  {
    what: 'another method in the header',
    body: modern(`"name":"weather","arguments":{},${meta}`),
    headers: { ...modernHeaders, 'mcp-method': 'tools/list' },
  },
  {
    what: 'another case of the method in the header',
    body: modern(`"name":"weather","arguments":{},${meta}`),
    headers: { ...modernHeaders, 'mcp-method': 'TOOLS/CALL' },
  },
  {
    what: 'another name in the header',
    body: modern(`"name":"weather","arguments":{},${meta}`),
    headers: { ...modernHeaders, 'mcp-name': 'fail' },
  },
  {
    what: 'broken base64 in the name header',
    body: modern(`"name":"weather","arguments":{},${meta}`),
    headers: { ...modernHeaders, 'mcp-name': '=?base64?d2VhdGhlcg?=' },
  },
  {
    what: 'an initialize of the modern revision',
    body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{${meta}}}`,
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'initialize' },
  },
  {
    what: 'a ping of the modern revision',
    body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{${meta}}}`,
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'ping' },
  },
  {
    what: 'a listen without a filter',
    body: `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{${meta}}}`,
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
  },
  {
    what: 'a request state that is not ours',
    body: modern(`"name":"weather","arguments":{},"requestState":"x",${meta}`),
    headers: modernHeaders,
  },
  {
    what: 'a request state that is a number',
    body: modern(`"name":"weather","arguments":{},"requestState":5,${meta}`),
    headers: modernHeaders,
  },
  {
    what: 'a log level that is none',
    body: modern(
      '"name":"weather","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}',
    ),
    headers: modernHeaders,
  },
  {
    what: 'a progress token that is an object',
    body: modern(
      '"name":"weather","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":{}}',
    ),
    headers: modernHeaders,
  },
  {
    what: 'a batch that opens a session',
    body: '[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}]',
  },
  {
    what: 'a batch before there were any',
    body: '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    headers: { 'mcp-protocol-version': '2024-11-05' },
  },
  {
    what: 'a cursor of null',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}',
  },
  {
    what: 'a _meta of null',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":null}}',
  },
  {
    what: 'a fractional progress token',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":{},"_meta":{"progressToken":1.5}}}',
  },
  {
    what: 'arguments of null',
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":null}}',
  },
  {
    what: 'capabilities that are a list',
    body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":[],"clientInfo":{"name":"x","version":"1"}}}',
  },
  {
    what: 'a method in capitals beside the real one',
    body: '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/list"}',
  },
];
