// A gateway whose server "conformance" has the fixtures of the official suite beside its REST tools:
// node test/conformance/serve.mjs --data-dir DIR [--no-fast-lane]. It prints its address as `handrail serve --json` does.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';
import { createGateway, loadConfig } from '../../dist/index.js';

const { values } = parseArgs({
  options: { 'data-dir': { type: 'string' }, 'no-fast-lane': { type: 'boolean', default: false } },
});
const slug = 'conformance';
const adminToken = 'a-token-for-the-conformance-suite';

// Node 20 reads no TypeScript by itself.
const fixtures = fileURLToPath(new URL('../support/conformance-fixtures/features.ts', import.meta.url));
const { module } = await runnerImport(fixtures, { configFile: false, logLevel: 'error' });

const config = loadConfig({
  flags: {
    dataDir: values['data-dir'],
    port: 0,
    logLevel: 'warn',
    adminToken,
    fastLane: !values['no-fast-lane'],
  },
});
const gateway = await createGateway(config, {
  nativeFeatures: (asked) => (asked === slug ? module.conformanceFeatures : undefined),
});
if (gateway.registry.snapshot.view(slug) === undefined) {
  const made = await gateway.app.inject({
    method: 'POST',
    url: '/api/v1/servers',
    headers: { host: 'localhost', authorization: `Bearer ${adminToken}` },
    payload: { slug, name: 'Conformance fixtures', tools: [{ all: true }], policy: { kind: 'open' } },
  });
  if (made.statusCode !== 201) throw new Error(`the server was not made: ${made.payload}`);
}
const url = await gateway.listen();
process.once('SIGTERM', () => void gateway.close());
console.log(JSON.stringify({ event: 'listening', url, adminToken }));
