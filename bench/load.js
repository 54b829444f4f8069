import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCommand } from './processes.js';
import { loadStreams, sendOneOnStream } from './stream-load.js';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'handrail-bench-load-'));
let count = 0;

/**
 * Sends one request and returns the text of its answer, to know what a correct answer looks like before the
 * load starts.
 */
export async function sendOne(target) {
  if (target.openSession) return sendOneOnStream(target);
  const { url, headers, body } = target;
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/**
 * Generates load on a variant and counts the answers. An answer is correct if its status is 200 and it contains
 * what a correct answer contains: a fast wrong answer is a failure.
 */
export async function load(target, { connections, seconds, pin }) {
  if (target.openSession) return loadStreams(target, { connections, seconds });
  return hasCommand('wrk')
    ? withWrk(target, { connections, seconds, pin })
    : withAutocannon(target, { connections, seconds });
}

async function withWrk({ url, headers, body, check }, { connections, seconds, pin }) {
  const script = join(folder, `${count++}.lua`);
  writeFileSync(
    script,
    `wrk.method = "POST"
wrk.body = [==[${body}]==]
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers["${name}"] = [==[${value}]==]`)
  .join('\n')}
local wrong = 0
function response(status, headers, text)
  if status ~= 200 or not string.find(text, [==[${check}]==], 1, true) then wrong = wrong + 1 end
end
local threads = {}
function setup(thread) table.insert(threads, thread) end
function done(summary, latency, requests)
  local bad = 0
  for _, thread in ipairs(threads) do bad = bad + (thread:get("wrong") or 0) end
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), e.connect + e.read + e.write + e.timeout, bad))
end
`.replace('local wrong = 0', 'wrong = 0'),
  );
  const args = [
    '-t',
    '1',
    '-c',
    String(connections),
    '-d',
    `${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
    url,
  ];
  const all = [...pin, 'wrk', ...args];
  const { stdout } = await run(all[0], all.slice(1), { maxBuffer: 10_000_000 });
  const [requests, micros, p50, p99, errors, wrong] = /RESULT (.*)/.exec(stdout)[1].split(' ').map(Number);
  return {
    requests,
    perSecond: requests / (micros / 1e6),
    p50Ms: p50 / 1000,
    p99Ms: p99 / 1000,
    errors,
    wrong,
  };
}

async function withAutocannon({ url, headers, body, check }, { connections, seconds }) {
  const require = createRequire(new URL('./peers/package.json', import.meta.url));
  const autocannon = require('autocannon');
  let wrong = 0;
  const result = await autocannon({
    url,
    method: 'POST',
    headers,
    body,
    connections,
    duration: seconds,
    verifyBody: (text) => {
      if (!String(text).includes(check)) wrong++;
      return true;
    },
  });
  return {
    requests: result.requests.total,
    perSecond: result.requests.total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + result.timeouts + result.non2xx,
    wrong,
  };
}
