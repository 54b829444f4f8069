// An agent on the command line, with a model that is played from a script: the agent's own loop finds the tools, offers
// them to the model, calls what the model asks for and gives back what came.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { weatherScript } from './journeys.mjs';

const run = promisify(execFile);
const program = fileURLToPath(new URL('./node_modules/@google/gemini-cli/bundle/gemini.js', import.meta.url));
const question = 'What is the weather in Berlin?';
const args = { location: 'Berlin' };

/** What the model asks for, one after the other; then it repeats what the last tool brought. */
const scripts = {
  direct: [{ tool: 'weather_get', args }],
  search: [
    { tool: 'search_tools', args: { query: 'current weather for a location' } },
    { tool: 'describe_tools', args: { names: ['weather_get'] } },
    // Gemini's declarations have no objects without fields, so it is asked for JSON text.
    { tool: 'call_read', args: { name: 'weather_get', arguments: JSON.stringify(args) } },
  ],
  code: [
    { tool: 'search_tools', args: { query: 'current weather for a location' } },
    { tool: 'run_code', args: { code: weatherScript } },
  ],
};

/** The part of the Gemini API that the agent uses. */
async function playModel(script) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => answer(request, response, body));
  });
  function answer(request, response, body) {
    const { contents = [], tools = [] } = body === '' ? {} : JSON.parse(body);
    const offered = tools.flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name }) => name),
    );
    const brought = contents.flatMap(({ parts = [] }) => parts).filter((part) => part.functionResponse);
    const reply = {
      candidates: [
        {
          content: { role: 'model', parts: [nextPart(script, offered, brought)] },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    const streams = request.url.includes('streamGenerateContent');
    response.setHeader('content-type', streams ? 'text/event-stream' : 'application/json');
    response.end(
      streams ? `data: ${JSON.stringify(reply)}\n\n` : JSON.stringify({ ...reply, totalTokens: 1 }),
    );
  }
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function nextPart(script, offered, brought) {
  const step = script[brought.length];
  if (step === undefined)
    return { text: `It brought ${JSON.stringify(brought.at(-1)?.functionResponse.response)}` };
  const name = offered.find((one) => one.endsWith(`_${step.tool}`));
  return name === undefined
    ? { text: `There is no ${step.tool} among ${offered.join(', ')}` }
    : { functionCall: { name, args: step.args } };
}

/** Asks the agent a question about a server, in a mode; gives what it said. */
export async function askAgent(url, mode) {
  const home = join(process.env.HANDRAIL_CLIENT_HOME, `agent-${mode}`);
  const folder = join(home, 'work');
  mkdirSync(join(home, '.gemini'), { recursive: true });
  mkdirSync(folder, { recursive: true });
  const settings = {
    mcpServers: { handrail: { httpUrl: url, trust: true } },
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true },
  };
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
  const model = await playModel(scripts[mode]);
  const { port } = model.address();
  try {
    const { stdout } = await run(
      process.execPath,
      [program, '-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '-p', question],
      {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          HOME: home,
          GEMINI_API_KEY: 'played',
          GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
          GEMINI_CLI_TRUST_WORKSPACE: 'true',
        },
        maxBuffer: 50_000_000,
      },
    );
    return stdout;
  } finally {
    model.closeAllConnections();
    await new Promise((resolve) => model.close(resolve));
  }
}
