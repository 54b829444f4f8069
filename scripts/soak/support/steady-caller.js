// Calls one tool every few milliseconds from a separate process, and reports on request how the answers
// arrived. Started with `fork`; every message requests a report and resets the counts.
import { Agent, request } from 'node:http';

const [url, tool, everyMs] = [process.argv[2], process.argv[3], Number(process.argv[4] ?? 5)];
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const text = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: tool, arguments: { location: 'Rome' } },
});

let seen;
function begin() {
  seen = { calls: 0, failed: 0, slowestMs: 0, longestGapMs: 0, lastAt: performance.now() };
}
begin();

function call(startedAt = performance.now()) {
  const mine = seen;
  const req = request(
    `${url}/mcp`,
    {
      agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': Buffer.byteLength(text),
      },
    },
    (res) => {
      let answer = '';
      res.setEncoding('utf8');
      res.on('data', (chunk) => (answer += chunk));
      res.on('end', () => {
        const now = performance.now();
        mine.calls++;
        mine.slowestMs = Math.max(mine.slowestMs, now - startedAt);
        mine.longestGapMs = Math.max(mine.longestGapMs, now - mine.lastAt);
        mine.lastAt = now;
        if (res.statusCode === 200 && !answer.includes('"isError":true') && !answer.includes('"error"'))
          return;
        mine.failed++;
        console.error(`a call was answered with ${res.statusCode}: ${answer.slice(0, 300)}`);
      });
    },
  );
  req.on('error', (error) => {
    // The gateway may close an idle connection at the very moment it is reused; every client retries then.
    if (req.reusedSocket && error.code === 'ECONNRESET') return call(startedAt);
    mine.failed++;
    console.error(`a call failed: ${error.message}`);
  });
  req.end(text);
}

const timer = setInterval(() => call(), everyMs);
process.on('message', () => {
  const { calls, failed, slowestMs, longestGapMs } = seen;
  process.send({ calls, failed, slowestMs: Math.round(slowestMs), longestGapMs: Math.round(longestGapMs) });
  begin();
});
process.on('disconnect', () => {
  clearInterval(timer);
  agent.destroy();
});
