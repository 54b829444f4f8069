// Writes a number of call records with the build of a checkout, and reports what they cost.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const [checkout, place] = process.argv.slice(2);
const { openStore } = await import(pathToFileURL(join(checkout, 'dist/storage/open-store.js')).href);
const isUrl = place.startsWith('postgres');
const store = await openStore(isUrl ? { databaseUrl: place } : { dataDir: place });

const batches = 80;
const perBatch = 250;
const reply = JSON.stringify({ note: 'x'.repeat(850) });
let number = 0;

function record() {
  const n = number++;
  return {
    id: `call_${process.pid}_${String(n).padStart(10, '0')}`,
    parentId: null,
    toolId: 'tool_01J00000000000000000000000',
    toolName: 'get_user',
    apiSlug: 'bench',
    serverSlug: 'bench',
    surface: 'mcp',
    callerId: 'key:key_01J00000000000000000000000',
    callerLabel: 'bench',
    clientName: 'bench',
    clientVersion: '1',
    startedAtMs: 1_700_000_000_000 + n,
    durationMs: 1.25,
    upstreamMs: 0.75,
    upstreamStatus: 200,
    outcome: 'ok',
    message: null,
    tries: 1,
    cached: false,
    requestBytes: 0,
    replyBytes: 1_000,
    argumentsText: `{"id":${n}}`,
    replyText: reply,
    requestLine: `GET http://127.0.0.1:8080/users/${n}`,
    outputTokens: 250,
    steps: [
      { name: 'prepare', startMs: 0, durationMs: 0.05 },
      { name: 'send', startMs: 0.1, durationMs: 0.9, note: 'HTTP 200' },
      { name: 'shape', startMs: 1, durationMs: 0.1 },
    ],
  };
}

async function measure() {
  const before = process.cpuUsage();
  for (let done = 0; done < batches; done++) {
    const batch = store.calls.newBatch();
    for (let i = 0; i < perBatch; i++) batch.add(record());
    await store.calls.write(batch);
  }
  const { user, system } = process.cpuUsage(before);
  process.send((user + system) / (batches * perBatch));
}

const fail = (error) => {
  console.error(error);
  process.exit(1);
};
process.on('message', () => void measure().catch(fail));
process.on('disconnect', () => void store.close().catch(fail));
