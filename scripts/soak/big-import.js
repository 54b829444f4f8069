// Imports a document of 13 MB in every way there is while a client in another process calls a tool every 5 ms, and
// tells for each how long it took, the longest the event loop stood still, the longest a call waited, and memory.
// Usage: npm run soak -- big-import [DOCUMENT [NEWER_DOCUMENT]] (generated ones unless told)
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bigDocument } from './support/big-document.js';
import { adminToken, ask, serve } from './support/serving.js';

const [file, newerFile] = process.argv.slice(2);
const document = file === undefined ? bigDocument() : readFileSync(file, 'utf8');
const newer =
  newerFile !== undefined ? readFileSync(newerFile, 'utf8') : file === undefined ? bigDocument(2) : null;
const allowedStallMs = 100;

let served = document;
const source = createServer((_req, res) =>
  res.writeHead(200, { 'content-type': 'application/json' }).end(served),
);
await new Promise((resolve) => source.listen(0, '127.0.0.1', resolve));
const sourceUrl = `http://127.0.0.1:${source.address().port}/openapi.json`;

const folder = mkdtempSync(join(tmpdir(), 'handrail-big-import-'));
const turns = join(folder, 'turns');
writeFileSync(turns, '');
const gateway = await serve(join(folder, 'data'), ['--demo'], {
  HANDRAIL_EGRESS_ALLOW: '127.0.0.1',
  HANDRAIL_SOAK_TURNS: turns,
  NODE_OPTIONS: `--import ${new URL('support/turn-watch.js', import.meta.url)}`,
});
const { url, child, exited } = gateway;
const caller = fork(new URL('support/steady-caller.js', import.meta.url), [url, 'weather_get']);
const report = () =>
  new Promise((resolve) => {
    caller.once('message', resolve);
    caller.send('report');
  });

/** The longest delay of the gateway's event loop since the last look, as it measures it itself. */
async function loopDelayMs() {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
  const found = /handrail_event_loop_lag_seconds\{stat="max"\} (\S+)/.exec(await answer.text());
  return Math.round(Number(found?.[1] ?? NaN) * 1000);
}

const peakMb = () =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024);

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const rows = [];

async function step(name, body, path = '/imports') {
  await pause(1_000);
  await report();
  await loopDelayMs();
  writeFileSync(turns, '');
  const startedAt = performance.now();
  const { status, body: answer } = await ask(url, 'POST', path, body);
  const tookMs = Math.round(performance.now() - startedAt);
  // What follows the answer counts too: checkpoints, roll-ups, the collector.
  await pause(500);
  const calls = await report();
  const stallMs = await loopDelayMs();
  if (status !== 200)
    throw new Error(`${name} was answered with ${status}: ${JSON.stringify(answer).slice(0, 300)}`);
  const [{ added, changed, removed, unchanged }] = answer.imports;
  const plan = `+${added.length} ~${changed.length} -${removed.length} =${unchanged.length}`;
  const busiestTurnMs = Math.round(Number(readFileSync(turns, 'utf8')));
  rows.push({ import: name, plan, tookMs, stallMs, busiestTurnMs, ...calls, peakMb: peakMb() });
}

const files = (content) => [{ name: 'document.json', content: gzipSync(content).toString('base64') }];
await step('nothing (the calls alone)', {
  text: 'curl https://api.example.com/nothing',
  dryRun: true,
  api: 'none',
});
await step('dry run, as text', { text: document, api: 'big', dryRun: true });
await step('first import, as text', { text: document, api: 'big' });
await step('again, unchanged', { text: document, api: 'big' });
await step('again, packed as the command line does', { files: files(document), api: 'big' });
if (newer !== null) {
  await step('newer version, dry run', { text: newer, api: 'big', dryRun: true });
  await step('newer version', { text: newer, api: 'big' });
}
await step('first import, from an address', { url: sourceUrl, api: 'fetched' });
served = newer ?? document;
await step('refresh from the address', { dryRun: false }, '/apis/fetched/refresh');

console.table(rows);
const longest = Math.max(...rows.map((row) => row.stallMs));
// On a machine that others use, the loop also waits for a processor: then its own share tells.
const busiest = Math.max(...rows.map((row) => row.busiestTurnMs));
const failed = rows.reduce((sum, row) => sum + row.failed, 0);
console.log(
  `${(document.length / 1e6).toFixed(1)} MB: longest stall of the event loop ${longest} ms (${busiest} ms of it at most its own work), ${failed} failed calls, at most ${peakMb()} MB`,
);
caller.disconnect();
child.kill('SIGTERM');
await exited;
source.close();
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
process.exitCode = (busiest || longest) > allowedStallMs || failed > 0 ? 1 : 0;
