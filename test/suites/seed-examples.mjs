// Runs the curl examples of the pages that HandsAI and GetMCP publish against a gateway with the demo API, with only
// their host replaced, and compares the shape of the answers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

const url = process.argv[2];
assert.ok(url, 'usage: seed-examples.mjs URL');

function curl(...args) {
  return JSON.parse(execFileSync('curl', ['-sS', '--max-time', '300', ...args], { encoding: 'utf8' }));
}

function call(name, args, id) {
  const body = JSON.stringify(
    { jsonrpc: '2.0', method: 'tools/call', params: { name, arguments: args }, id },
    null,
    2,
  );
  return curl('-X', 'POST', `${url}/mcp/tools/call`, '-H', 'Content-Type: application/json', '-d', body);
}

const list = curl('-X', 'GET', `${url}/mcp/tools/list`, '-H', 'Content-Type: application/json');
assert.deepEqual(Object.keys(list), ['jsonrpc', 'result']);
for (const name of [
  'weather_get',
  'search_documents',
  'send_notification',
  'database_query',
  'github-create-issue',
  'resend-send-email',
]) {
  const tool = list.result.tools.find((each) => each.name === name);
  assert.deepEqual(Object.keys(tool), ['name', 'description', 'inputSchema'], name);
}

const weather = call('weather_get', { location: 'New York', units: 'fahrenheit' }, '1');
assert.equal(weather.id, '1');
assert.deepEqual(Object.keys(JSON.parse(weather.result.content[0].text)), [
  'temperature',
  'condition',
  'humidity',
]);

const notified = call(
  'send_notification',
  {
    recipients: ['a@example.com', 'b@example.com'],
    message: 'Deployment completed successfully',
    priority: 'high',
  },
  '2',
);
assert.equal(notified.result.content[0].type, 'text');

const issue = call(
  'github-create-issue',
  { owner: 'facebook', repo: 'react', title: 'Test issue', body: 'This is a test' },
  'test-1',
);
assert.equal(JSON.parse(issue.result.content[0].text).state, 'open');

const email = call(
  'resend-send-email',
  { from: 'Acme <a@example.com>', to: 'b@example.com', subject: 'Welcome', html: '<h1>Welcome!</h1>' },
  'exec-456',
);
assert.equal(email.id, 'exec-456');

assert.deepEqual(call('weather_get', { units: 'celsius' }, 'error-789'), {
  jsonrpc: '2.0',
  error: { code: -32602, message: 'Invalid params: location is required' },
  id: 'error-789',
});
assert.deepEqual(call('database_query', { sql: 'SELECT * FROM users' }, 'fail-101'), {
  jsonrpc: '2.0',
  error: { code: -32603, message: 'Internal error: Connection timeout' },
  id: 'fail-101',
});
const missing = {
  jsonrpc: '2.0',
  error: { code: -32602, message: 'Invalid params: missing required parameters' },
};
assert.deepEqual(curl('--request', 'POST', '--url', `${url}/mcp/tools/call`), missing);
assert.deepEqual(
  curl('-X', 'POST', `${url}/mcp/tools/call`, '-H', 'Content-Type: application/json', '-d', 'null'),
  missing,
);

const current = curl(
  '--request',
  'POST',
  '--url',
  `${url}/mcp/my-weather-tools`,
  '--header',
  'content-type: application/json',
  '--header',
  'Mcp-Session-Id: your_session_id',
  '--data',
  '\n{ "jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": { "name": "get_weather", "arguments": { "city": "London" } } }\n',
);
assert.equal(current.id, 4);
assert.ok(JSON.parse(current.result.content[0].text).current_condition);

console.log('every example of the seed pages answers as printed');
