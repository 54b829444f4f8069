// Sends every request example of the corpus through a running gateway to a server that keeps what it receives: each must
// arrive with all its fields, or be refused for a reason that the document itself gives, which another validator confirms.
// `node test/oracles/request-examples/run.mjs [--write] [--list] [FILE …]`; --write puts the figures into
// docs/reference/import-fidelity.md, --list prints every refusal.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { decodeText, parseText } from '../../../dist/import/reading/read-text.js';
import { findExamples, findPostmanBodies, openDocument } from './find-examples.mjs';
import { rawChecker } from './raw-schema.mjs';
import { startRecordedCalls } from './recorded-calls.mjs';
import { sendExample } from './send-openapi.mjs';
import { sendPostmanBody } from './send-postman.mjs';

const corpus = process.env.HANDRAIL_CORPUS;
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
if (named.length === 0 && (!corpus || !existsSync(join(corpus, 'manifest.json')))) {
  console.error('Set HANDRAIL_CORPUS to the folder that holds the corpus (with its manifest.json).');
  process.exit(1);
}
const files = named.length > 0 ? named : corpusFiles();
const kinds = {
  parameter: 'parameter',
  whole: 'body, or its schema',
  assembled: 'body properties, combined',
  postman: 'Postman request body',
};
const counts = new Map(Object.keys(kinds).map((kind) => [kind, {}]));
const faults = [];
const calls = await startRecordedCalls();
try {
  for (const file of files) await sendAll(file);
} finally {
  await calls.stop();
}
report();

function corpusFiles() {
  return JSON.parse(readFileSync(join(corpus, 'manifest.json'), 'utf8'))
    .filter(
      ({ file, format, multifile }) =>
        /openapi|swagger|postman/.test(format) && !multifile && !file.endsWith('/'),
    )
    .map(({ file }) => join(corpus, file));
}

async function sendAll(file) {
  const bytes = readFileSync(file);
  const document = parseText(decodeText(bytes)).value;
  const isOpenApi = document.openapi !== undefined || document.swagger !== undefined;
  const opened = openDocument(document);
  const examples = isOpenApi ? findExamples(opened) : findPostmanBodies(document);
  if (examples.length === 0) return;
  const { slug, find } = await calls.publish(file, bytes, isOpenApi);
  const check = isOpenApi ? rawChecker(opened) : null;
  const variables = new Map((document.variable ?? []).map(({ key, id, value }) => [key ?? id, value]));
  for (const example of examples) {
    const told = isOpenApi
      ? await sendExample(example, find(example.operation), { calls, slug, check })
      : await sendPostmanBody(example, find(example.at), { calls, slug, variables });
    const row = counts.get(example.kind);
    row[told.result] = (row[told.result] ?? 0) + 1;
    const line = { file: basename(file), operation: example.operation ?? example.at, ...told };
    if (told.result.startsWith('WRONG')) faults.push({ ...line, example: example.value });
    else if (told.result === 'refused' && process.argv.includes('--list')) console.log(JSON.stringify(line));
  }
}

function report() {
  const of = (row, ...results) => results.reduce((sum, result) => sum + (row[result] ?? 0), 0);
  const rows = [...counts].map(([kind, row]) => {
    const all = Object.values(row).reduce((sum, number) => sum + number, 0);
    const sent =
      all -
      of(
        row,
        'of another media type',
        'not asked of a model',
        'not a tool',
        'with variables that are no JSON',
      );
    return `| ${kinds[kind]} | ${all} | ${sent} | ${of(row, 'arrived')} | ${of(row, 'arrived, set right')} | ${of(row, 'refused')} | ${of(row, 'WRONG: lost')} | ${of(row, 'WRONG: refused')} |`;
  });
  const table = [
    '| example | found | sent | arrived unchanged | arrived with a corrected type | rejected correctly | lost a field | rejected wrongly |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
  console.log(table);
  for (const [kind, row] of counts) console.log(kind, JSON.stringify(row));
  for (const fault of faults) console.log(JSON.stringify(fault).slice(0, 900));
  if (process.argv.includes('--write')) write(table);
  process.exitCode = faults.length > 0 || files.length === 0 ? 1 : 0;
}

function write(text) {
  const page = new URL('../../../docs/reference/import-fidelity.md', import.meta.url);
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(
      /(<!-- examples -->\n)[^]*?(<!-- end examples -->)/,
      (_whole, start, end) => `${start}${text}\n${end}`,
    ),
  );
}
