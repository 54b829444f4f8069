import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import YAML from 'yaml';
import { readTaskSets } from '../code/tasks.js';
import { load, sendOne } from '../load.js';
import { cpuSeconds, hasCommand, pinTo, residentMb } from '../processes.js';
import { head, median, row, whole } from '../statistics.js';
import { startUpstream } from '../upstream.js';
import { openApiDocument, peersInstalled, startHandrail } from '../variants.js';
import { conformanceOf } from './conformance.js';
import { listOf } from './ask.js';
import { peers } from './peers.js';
import { tokensOfTasks } from './tasks.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const only = process.env.BENCH_ONLY?.split(';');
const connections = 16;
const none = '–';

/** Measures every peer that can be installed here, one after the other in each round, and writes bench/COMPARE.md. */
export async function runCompareBench() {
  install();
  const documents = readDocuments();
  const [set] = readTaskSets(['restbench-tmdb']) ?? [];
  const upstream = await startUpstream(pinTo(1));
  const chosen = peers.filter(({ name }) => only?.includes(name) ?? true);
  const loadBefore = loadavg()[0];
  try {
    const found = await measureCalls(chosen, upstream.url);
    // Written after each step: a run that is stopped keeps what it measured.
    const save = () => {
      const text = page(found, documents, upstream, loadBefore);
      if (only === undefined) writeFileSync(here('../COMPARE.md'), text);
      return text;
    };
    const measured = [...found].filter(([, { reason }]) => reason === undefined);
    for (const [peer, result] of measured) {
      tell(peer, 'tasks and conformance');
      result.tasks = set && (await tried(() => tokensOfTasks(peer, set)));
      result.conformance = peer.isRest ? none : await tried(() => conformance(peer, upstream.url));
      result.imports = documents.map(() => none);
      save();
    }
    for (const [at, { name, document }] of documents.toReversed().entries())
      for (const [peer, result] of measured) {
        if (peer.importsNothing) continue;
        tell(peer, name);
        result.imports[documents.length - 1 - at] = await tried(() => importTime(peer, document));
        save();
      }
    console.log(save());
  } finally {
    await upstream.stop();
  }
}

function tell({ name }, what) {
  process.stderr.write(`${name}: ${what}\n`);
}

/** A result, or why there is none. */
async function tried(work) {
  try {
    return await work();
  } catch (error) {
    return { reason: firstLine(error) };
  }
}

const firstLine = (error) =>
  String(error.message).replaceAll('|', '/').replaceAll(/\s+/g, ' ').trim().slice(0, 120);

/** The peers from npm and the conformance suite; those from PyPI are installed when they are first started. */
function install() {
  const at = (folder) => execFileSync('npm', ['ci', '--prefix', folder], { stdio: 'ignore' });
  if (!peersInstalled()) at(here('../peers'));
  if (!existsSync(here('../../test/conformance/node_modules'))) at(here('../../test/conformance'));
}

/** Three large documents of `HANDRAIL_CORPUS` as JSON, which each peer reads. */
function readDocuments() {
  const folder = process.env.HANDRAIL_CORPUS ?? here('../../../shared/corpus');
  return [
    ['Stripe', 'stripe-2022-11-15.yaml'],
    ['authentik', 'authentik.yml'],
    ['Box', 'box.json'],
  ].flatMap(([name, file]) => {
    const path = join(folder, 'openapi', file);
    if (!existsSync(path)) return [];
    return [{ name, document: YAML.parse(readFileSync(path, 'utf8'), { maxAliasCount: -1 }) }];
  });
}

/** Calls at full load. All peers run at the same time and take turns, so that each gets the same conditions. */
async function measureCalls(chosen, upstream) {
  const found = new Map();
  const document = openApiDocument(upstream);
  const running = [];
  try {
    for (const peer of chosen) {
      tell(peer, 'install and start');
      const started = await tried(() => startRight(peer, upstream, document));
      found.set(peer, started.reason === undefined ? { turns: [] } : started);
      if (started.reason === undefined) running.push([peer, started]);
    }
    for (const [peer, { target }] of running) {
      tell(peer, 'warm up');
      await load(target, { connections, seconds, pin: pinTo(1) });
    }
    for (let round = 0; round < rounds; round++)
      for (const [peer, { target, pids }] of running) {
        const cpu = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
        const before = cpu();
        const { requests, perSecond, p99Ms, errors, wrong } = await load(target, {
          connections,
          seconds,
          pin: pinTo(1),
        });
        const cpuUs = ((cpu() - before) / Math.max(1, requests)) * 1e6;
        const mb = pids.reduce((sum, pid) => sum + residentMb(pid), 0);
        found.get(peer).turns.push({ perSecond, p99Ms, cpuUs, mb, faults: errors + wrong });
      }
  } finally {
    for (const [, { stop }] of running) await stop();
  }
  return found;
}

async function startRight(peer, upstream, document) {
  const started = await peer.start(upstream, pinTo(0), document);
  const answer = await sendOne(started.target);
  if (answer.status === 200 && answer.text.includes(started.target.check))
    return { pids: [started.pid], ...started };
  await started.stop();
  throw new Error(`does not answer: ${answer.status} ${answer.text}`);
}

/** Seconds from the start of the process until the tools of a document are listed. */
async function importTime(peer, document) {
  const beganMs = performance.now();
  const started = await peer.start('http://127.0.0.1:9', pinTo(0), document);
  try {
    const tools = await listOf(started);
    return `${((performance.now() - beganMs) / 1_000).toFixed(1)} s, ${whole(tools.length)} tools`;
  } finally {
    await started.stop();
  }
}

async function conformance(peer, upstream) {
  const document = openApiDocument(upstream);
  // The suite sends no key.
  const open = { document, server: { policy: { kind: 'open' } } };
  const started = await (peer.name === 'Handrail'
    ? startHandrail(upstream, pinTo(0), open)
    : peer.start(upstream, pinTo(0), document));
  try {
    return await conformanceOf(started.target, peer.name !== 'Handrail');
  } finally {
    await started.stop();
  }
}

function page(found, documents, upstream, loadBefore) {
  const shown = [...found].filter(([, { reason }]) => reason === undefined);
  const left = [...found].filter(([, { reason }]) => reason !== undefined);
  const cell = (value) => value?.reason ?? value ?? none;
  const tokens = (value) => (value === undefined || value.reason !== undefined ? [cell(value), none] : value);
  return `# Compared with others

    npm run bench -- compare

${new Date().toISOString().slice(0, 10)}. Node ${process.versions.node}, ${pythonVersion()}, ${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, load average ${loadBefore.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after; upstream ${upstream.kind}, about 1 KB of JSON; load by ${hasCommand('wrk') ? 'wrk' : 'autocannon'}, ${connections} connections, medians of ${rounds} turns of ${seconds} s, in which the peers alternate. Handrail checks an access key and a rate limit and records each call; the others do neither.

${head(['', 'calls/s', 'CPU per call', 'p99', 'memory', 'wrong or failed', 'tokens of the list', 'tokens of a task', ...documents.map(({ name }) => `import ${name}`), 'conformance'])}
${shown
  .map(([peer, { turns, tasks, imports, conformance: passed }]) => {
    const of = (key) => median(turns.map((turn) => turn[key]));
    return row([
      peer.name,
      whole(of('perSecond')),
      `${whole(of('cpuUs'))} µs`,
      `${whole(of('p99Ms'))} ms`,
      `${of('mb')} MB`,
      turns.reduce((sum, { faults }) => sum + faults, 0),
      ...tokens(tasks),
      ...(imports ?? documents.map(() => none)).map(cell),
      cell(passed),
    ]);
  })
  .join('\n')}

- Tokens (o200k) are those of the ${whole(54)} tools and 100 tasks of RestBench TMDB ([method](README.md#code-mode-one-script-instead-of-single-calls)): the list, and the median of what a task reads and writes on top of it. Handrail's are in direct, search and code mode. A task counts if each of its calls was answered.
- Import is the time from the start of the process until the tools are listed; the document is read from a file of JSON.
- Conformance is the scenarios of the official suite (revision 2025-11-25) that pass with one tool of a document. Most of them need tools, prompts or resources that only a server made for the suite has, which no bridge to an API offers; with those, Handrail passes 30 of 30 (\`test/conformance\`).
- ContextForge imports no documents: this script creates each tool with a request. mcpo turns MCP into REST, so its list is its OpenAPI document.

## Left out

${left.length === 0 ? 'None.' : left.map(([{ name }, { reason }]) => `- ${name}: ${reason}`).join('\n')}

## Commands

${[...found.keys()].map(({ name, command }) => `- ${name}: \`${command}\``).join('\n')}

The npm peers are pinned in \`bench/peers/package.json\`; the others are installed from PyPI, or built with cargo, into \`bench/peers/out\` with the versions above. What isn't installed or built within ten minutes is left out. \`BENCH_ROUNDS\` (5), \`BENCH_SECONDS\` (4), \`BENCH_ONLY\` (names, separated by \`;\`; writes nothing).
`;
}

function pythonVersion() {
  return hasCommand('python3')
    ? execFileSync('python3', ['--version'], { encoding: 'utf8' }).trim()
    : 'no Python';
}
