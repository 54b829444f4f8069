// Imports the documents of servers that we did not write and calls them: create, read, update, delete, upload, download.
// Needs pdns_server with its SQLite backend and sqlite3 (Debian: pdns-server pdns-backend-sqlite3 sqlite3), prometheus-alertmanager,
// and Prism from this folder's package.json. Servers that are missing fail the run and say so.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastingPort } from '../support/servers/lasting-port.mjs';
import { untilOpen } from '../support/servers/until-open.mjs';

const corpus = process.env.HANDRAIL_CORPUS;
if (!corpus || !existsSync(join(corpus, 'manifest.json'))) {
  console.error('Set HANDRAIL_CORPUS to the folder that holds the corpus: the servers’ documents are there.');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'handrail-servers-'));
const main = new URL('../../dist/main.js', import.meta.url).pathname;
const env = {
  ...process.env,
  HANDRAIL_DATA_DIR: join(folder, 'data'),
  HANDRAIL_EGRESS_ALLOW: '127.0.0.1/32',
  HANDRAIL_LOG_LEVEL: 'error',
};
const children = [];
let failed = 0;

function handrail(...args) {
  return JSON.parse(
    execFileSync(process.execPath, [main, ...args, '--json'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
}

function call(tool, args, { ok = true } = {}) {
  let answer;
  try {
    answer = handrail('call', tool, '--args', JSON.stringify(args));
  } catch (error) {
    answer = JSON.parse(error.stdout || '{}');
  }
  const text = JSON.stringify(answer);
  const good = (answer.ok ?? answer.error === undefined) === ok;
  if (!good) failed++;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${tool} ${good ? '' : text.slice(0, 300)}`);
  return answer;
}

async function start(command, args, port) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
  children.push(child);
  await untilOpen(child, port);
}

/** Asks a server to end and waits until it did: it writes into its folder until then. */
async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}

async function powerdns() {
  const port = await lastingPort();
  const dns = await lastingPort();
  const database = join(folder, 'pdns.sqlite');
  const schema = [
    '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql',
    '/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql',
  ].find((file) => existsSync(file));
  execFileSync('sqlite3', [database, `.read ${schema}`]);
  await start(
    'pdns_server',
    [
      '--daemon=no',
      '--guardian=no',
      '--launch=gsqlite3',
      `--gsqlite3-database=${database}`,
      '--local-address=127.0.0.1',
      `--local-port=${dns}`,
      '--api=yes',
      '--api-key=secret-1',
      '--webserver=yes',
      '--webserver-address=127.0.0.1',
      `--webserver-port=${port}`,
      '--config-dir=/nonexistent',
      `--socket-dir=${folder}`,
    ],
    port,
  );
  handrail(
    'import',
    join(corpus, 'openapi/powerdns-4.7.3-swagger2.yaml'),
    '--api',
    'pdns',
    '--base-url',
    `http://127.0.0.1:${port}/api/v1`,
  );
  handrail('credentials', 'set', 'pdns', '--field', 'value=secret-1');
  call('listServers', {});
  call('createZone', {
    server_id: 'localhost',
    name: 'example.org.',
    kind: 'Native',
    nameservers: ['ns1.example.org.'],
  });
  call('listZone', { server_id: 'localhost', zone_id: 'example.org.' });
  call('patchZone', {
    server_id: 'localhost',
    zone_id: 'example.org.',
    rrsets: [
      {
        name: 'www.example.org.',
        type: 'A',
        ttl: 60,
        changetype: 'REPLACE',
        records: [{ content: '192.0.2.1', disabled: false }],
      },
    ],
  });
  call('axfrExportZone', { server_id: 'localhost', zone_id: 'example.org.' });
  call('deleteZone', { server_id: 'localhost', zone_id: 'example.org.' });
}

async function alertmanager() {
  const port = await lastingPort();
  const config = join(folder, 'alertmanager.yml');
  writeFileSync(config, 'route:\n  receiver: none\nreceivers:\n  - name: none\n');
  await start(
    'prometheus-alertmanager',
    [
      `--config.file=${config}`,
      `--storage.path=${join(folder, 'am')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    port,
  );
  handrail(
    'import',
    join(corpus, 'openapi/alertmanager-v2-swagger2.yaml'),
    '--api',
    'alerts',
    '--base-url',
    `http://127.0.0.1:${port}/api/v2`,
  );
  call('getStatus', {});
  call('postAlerts', { body: [{ labels: { alertname: 'Disk full', host: 'a b' } }] });
  call('getAlerts', { filter: ['alertname="Disk full"', 'host="a b"'], active: true });
}

async function prism() {
  const port = await lastingPort();
  const binary = new URL('node_modules/.bin/prism', import.meta.url).pathname;
  const document = join(corpus, 'openapi/swagger-petstore.yaml');
  await start(binary, ['mock', document, '--port', String(port), '--host', '127.0.0.1', '--errors'], port);
  handrail('import', document, '--api', 'petstore', '--base-url', `http://127.0.0.1:${port}`);
  handrail('credentials', 'set', 'petstore', '--field', 'token=anything');
  call('addPet', { name: 'Rex', photoUrls: ['a'], category: { id: 1, name: 'dogs' } });
  call('getPetById', { petId: 7 });
  call('updatePet', { id: 7, name: 'Rex', photoUrls: [] });
  call('findPetsByTags', { tags: ['a b', 'c&d'] });
  call('deletePet', { petId: 7 });
  call('uploadFile', { petId: 7, additionalMetadata: 'x y', body: Buffer.from('GIF89a').toString('base64') });
}

try {
  for (const [name, run] of Object.entries({ powerdns, alertmanager, prism })) {
    console.log(`── ${name}`);
    try {
      await run();
    } catch (error) {
      failed++;
      console.log(`FAIL ${name}: ${error.message}`);
    }
  }
} finally {
  await Promise.all(children.map(ended));
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
console.log(failed === 0 ? 'all calls went well' : `${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
