// Load for a server that accepts a call with 202 and answers on the session's own GET stream. Every connection
// is a separate session; each sends its next call when it has received the last answer. IDs differ across
// sessions, because such a server may keep them in one map.
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

let lastId = 1_000;

/** The same result that `load` returns for servers that answer on the POST itself. */
export async function loadStreams(target, { connections, seconds }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections * 2 + 8 });
  const latencies = [];
  let wrong = 0;
  let errors = 0;
  const sessions = await Promise.all(Array.from({ length: connections }, () => open(target, agent)));
  const beganMs = performance.now();
  const endMs = beganMs + seconds * 1000;
  await Promise.all(
    sessions.map(async (session) => {
      while (performance.now() < endMs) {
        const sentMs = performance.now();
        try {
          const answer = await session.call();
          if (!answer.includes(target.check)) wrong++;
          latencies.push(performance.now() - sentMs);
        } catch {
          errors++;
        }
      }
    }),
  );
  const tookSeconds = (performance.now() - beganMs) / 1000;
  for (const session of sessions) session.close();
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const at = (q) => latencies[Math.floor((latencies.length - 1) * q)] ?? 0;
  return {
    requests: latencies.length,
    perSecond: latencies.length / tookSeconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    errors,
    wrong,
  };
}

/** One call and its answer, as `sendOne` returns it. */
export async function sendOneOnStream(target) {
  const agent = new Agent({ keepAlive: true });
  const session = await open(target, agent);
  const text = await session.call();
  session.close();
  agent.destroy();
  return { status: 200, text };
}

async function open(target, agent) {
  const headers = { ...target.headers, ...(await target.openSession()) };
  const waiting = new Map();
  // Its head may arrive only with the first event, so there is nothing to wait for but the sending.
  const stream = request(target.url, { agent, headers: { ...headers, accept: 'text/event-stream' } });
  const ended = () => {
    for (const { reject } of waiting.values()) reject(new Error('The stream ended.'));
  };
  stream.on('error', ended);
  stream.on('response', (events) => {
    let rest = '';
    events.setEncoding('utf8');
    events.on('error', ended).on('close', ended);
    events.on('data', (chunk) => {
      rest += chunk;
      for (let at = rest.indexOf('\n\n'); at !== -1; at = rest.indexOf('\n\n')) {
        const line = rest
          .slice(0, at)
          .split('\n')
          .find((one) => one.startsWith('data:'));
        rest = rest.slice(at + 2);
        if (line === undefined) continue;
        const id = Number(/"id":(\d+)\}?\s*$/.exec(line)?.[1]);
        waiting.get(id)?.resolve(line);
        waiting.delete(id);
      }
    });
  });
  await new Promise((resolve) => stream.end(resolve));
  await delay(50);
  const call = JSON.parse(target.body);
  return {
    call: () =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        const timer = setTimeout(() => reject(new Error('No answer within 10 s.')), 10_000);
        waiting.set(id, {
          resolve: (text) => (clearTimeout(timer), resolve(text)),
          reject: (error) => (clearTimeout(timer), reject(error)),
        });
        post(target.url, headers, JSON.stringify({ ...call, id }), agent).catch(reject);
      }),
    close: () => stream.destroy(),
  };
}

function post(url, headers, body, agent) {
  return new Promise((resolve, reject) => {
    const req = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    req.on('response', (response) => response.resume().on('end', resolve)).on('error', reject);
    req.end(body);
  });
}
