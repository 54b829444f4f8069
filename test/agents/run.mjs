// Runs each agent of examples/agents as it is printed in docs/start/agent.md, against a running gateway, with a stand-in for
// the model's endpoint that follows a plan: one call of a tool, and an answer that holds its result.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startGateway } from '../support/gateway-process.mjs';
import { startStandIn } from './stand-in-model.mjs';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../examples/agents/', import.meta.url));
// TypeScript runs by itself from Node 22.18 on.
const node24 = process.argv[2];
const only = process.argv.slice(3);
const agents = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .filter((name) => only.length === 0 || only.some((word) => name.includes(word)));
assert.ok(agents.length > 0);
const gateway = await startGateway(['--demo']);
const model = await startStandIn({ tool: 'weather_get', args: { location: 'Berlin' } });
let failed = 0;
try {
  for (const agent of agents) {
    const before = model.asked.length;
    const env = {
      ...process.env,
      HANDRAIL_MCP_URL: `${gateway.url}/mcp`,
      OPENAI_API_KEY: 'no-key',
      OPENAI_BASE_URL: `${model.url}/v1`,
      ANTHROPIC_API_KEY: 'no-key',
      ANTHROPIC_BASE_URL: model.url,
      MASTRA_TELEMETRY_DISABLED: '1',
    };
    try {
      const { stdout } = await run(node24, [agent, 'What is the weather in Berlin?'], {
        cwd: folder,
        env,
        timeout: 280_000,
      });
      assert.match(stdout, /It says: .*temperature/s);
      assert.ok(model.asked.length >= before + 2, 'The model was asked twice: before the call and after it.');
      console.log(`ok      ${agent}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${agent}\n${error.message}\n${error.stderr ?? ''}\n${error.stdout ?? ''}`);
    }
  }
} finally {
  await model.stop();
  await gateway.stop();
}
process.exitCode = failed === 0 ? 0 : 1;
