// Compares the request Handrail builds with the one that independent libraries build, for every operation of the corpus.
// `node test/oracles/run.mjs [--write]`; --write puts the table into docs/reference/import-fidelity.md.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const corpus = process.env.HANDRAIL_CORPUS;
if (!corpus || !existsSync(join(corpus, 'manifest.json'))) {
  console.error('Set HANDRAIL_CORPUS to the folder that holds the corpus (with its manifest.json).');
  process.exit(1);
}
// Ends what hangs, with the process it hangs in.
const documentTimeoutMs = 300_000;
const documents = JSON.parse(readFileSync(join(corpus, 'manifest.json'), 'utf8')).filter(
  (entry) => /openapi|swagger/.test(entry.format) && entry.operations > 0 && !entry.multifile,
);
const rows = new Map();
const json = { compared: 0, equal: 0 };
const outvoted = [];
let unsampled = 0;
const cut = [];

let comparing = startComparing();
for (const { file } of documents) if (!(await comparing.compare(file))) cut.push(file);
comparing.stop();
report();

// One process for all documents, since its libraries take a second to load; another one goes on when it is lost.
function startComparing() {
  const child = spawn(process.execPath, [new URL('compare-document.mjs', import.meta.url).pathname, corpus], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let through = () => {};
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text);
    if (line.kind === 'through') through(true);
    else count(line);
  });
  child.stdin.on('error', () => through(false));
  child.on('close', () => through(false));
  return {
    async compare(file) {
      const timer = setTimeout(() => child.kill('SIGKILL'), documentTimeoutMs);
      const isThrough = await new Promise((resolve) => {
        through = resolve;
        child.stdin.write(`${file}\n`);
      });
      clearTimeout(timer);
      if (!isThrough) comparing = startComparing();
      return isThrough;
    },
    stop: () => child.stdin.end(),
  };
}

function count(line) {
  if (line.kind === 'unsampled') unsampled++;
  else if (line.kind === 'json') {
    json.compared++;
    if (line.equal) json.equal++;
    else outvoted.push(line);
  } else countParameter(line);
}

function countParameter(line) {
  const name = `${line.in} | ${line.style}${line.style === 'content' ? '' : line.explode ? ', explode' : ''} | ${line.shape}`;
  const row = rows.get(name) ?? {
    compared: 0,
    swagger: 0,
    swaggerBuilt: 0,
    swaggerRefused: 0,
    har: 0,
    harBuilt: 0,
    harRefused: 0,
    rfc: 0,
    rfcAsked: 0,
    outvoted: 0,
  };
  rows.set(name, row);
  row.compared++;
  const isBuilt = (answer) => answer !== null && !answer.startsWith('! ');
  if (isBuilt(line.swagger)) {
    row.swaggerBuilt++;
    if (line.swagger === line.mine) row.swagger++;
  } else row.swaggerRefused++;
  if (isBuilt(line.har)) {
    row.harBuilt++;
    if (line.har === line.mine) row.har++;
  } else if (line.har !== null) row.harRefused++;
  if (line.rfc !== null) {
    row.rfcAsked++;
    if (line.rfc === line.mine) row.rfc++;
  }
  const others = [line.swagger, line.har, line.rfc].filter(
    (other) => other !== null && other !== line.mine && !String(other).startsWith('! '),
  );
  if (others.length >= 2 && new Set(others).size < others.length) {
    row.outvoted++;
    outvoted.push(line);
  }
}

function percent(part, whole) {
  return whole === 0 ? '–' : `${(Math.floor((part / whole) * 1000) / 10).toFixed(1)}%`;
}

function report() {
  const table = [
    '| location | style | value | compared | swagger-client | oas-to-har | RFC 6570 or qs | not built by them | two of three against us |',
    '|---|---|---|---|---|---|---|---|---|',
    ...[...rows]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([name, row]) =>
          `| ${name} | ${row.compared} | ${percent(row.swagger, row.swaggerBuilt)} | ${percent(row.har, row.harBuilt)} | ${percent(row.rfc, row.rfcAsked)} | ${row.swaggerRefused}, ${row.harRefused} | ${row.outvoted} |`,
      ),
  ];
  const total = [...rows.values()].reduce((sum, row) => sum + row.compared, 0);
  const lost = outvoted.filter((line) => line.kind === 'parameter').length;
  const lines = [
    `${documents.length} documents, ${total} parameters and form fields: in ${percent(total - lost, total)} no two of the three agree against Handrail.`,
    `JSON bodies: ${json.equal} of ${json.compared} equal the arguments.`,
    `${unsampled} parameters or operations had no easily sampled value${cut.length > 0 ? `; stopped before their end: ${cut.join(', ')}` : ''}.`,
  ];
  console.log([...table, '', ...lines].join('\n'));
  for (const line of outvoted.slice(0, 10)) console.log('against us:', JSON.stringify(line));
  if (process.argv.includes('--write')) write([...table, '', ...lines.map((line) => `- ${line}`)].join('\n'));
  const agrees = total > 0 && lost / total <= 0.01 && json.equal === json.compared;
  process.exitCode = agrees && cut.length === 0 ? 0 : 1;
}

function write(text) {
  const page = new URL('../../docs/reference/import-fidelity.md', import.meta.url);
  const before = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    before.replace(/(<!-- agreement -->\n)[^]*?(\n<!-- end -->)/, (_whole, start, end) => start + text + end),
  );
}
