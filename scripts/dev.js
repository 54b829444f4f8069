// `npm run dev`: the gateway and the admin app, each picking up changes as soon as they are saved. Arguments
// after `--` go to `handrail serve`. Node 20 can't run TypeScript, so the compiler watches src/ and the gateway
// restarts after each compilation; Vite serves the admin app from its sources and proxies everything else to
// the gateway.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildPage, checkNode, ensureInstalled, forgetBuild, root } from './prepare.js';

checkNode();
ensureInstalled();
// The output here isn't a consistent build.
forgetBuild();
buildPage('explorer');

const { createServer } = await import('vite');
const serveArgs = process.argv.slice(2);
let gateway = null;
let gatewayUrl = null;
let vite = null;
let restarting = Promise.resolve();
let stopping = false;

/** Starts the gateway, and the admin app once the gateway's address is known. */
function startGateway() {
  if (stopping) return;
  // The same port as the first time.
  const port = gatewayUrl === null ? [] : ['--port', new URL(gatewayUrl).port];
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), 'serve', ...serveArgs, ...port], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { HANDRAIL_DRAIN_MS: '300', ...process.env },
  });
  gateway = child;
  const ended = new Promise((resolve) => {
    child.on('error', (error) => {
      say(`The gateway could not be started: ${error.message}`);
      resolve();
    });
    child.on('close', (code) => {
      if (gateway === child) {
        gateway = null;
        if (!stopping) say(`The gateway ended with ${code}; it starts again when a file changes.`);
      }
      resolve();
    });
  });
  child.ended = ended;
  const lines = [];
  let telling = Promise.resolve();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const url = /^Handrail is listening at (\S+)$/.exec(line)?.[1];
    if (url !== undefined) telling = startAdminApp(url);
    lines.push(line);
    telling = telling.then(() => tell(lines.shift()));
  });
}

/** Prints a line of the gateway's output; its links to the admin app lead to the live one. */
function tell(line) {
  const app = vite?.resolvedUrls?.local[0];
  const leadsThere =
    app === undefined ? line : line.replaceAll(`${gatewayUrl}/admin`, app.replace(/\/$/, ''));
  process.stdout.write(`${leadsThere}\n`);
}

async function startAdminApp(url) {
  gatewayUrl = url;
  if (vite !== null || stopping) return;
  process.env.HANDRAIL_URL = url;
  vite = await createServer({ configFile: join(root, 'web/admin/vite.config.ts') });
  await vite.listen();
}

function restartGateway() {
  restarting = restarting.then(replaceGateway);
}

async function replaceGateway() {
  const old = gateway;
  gateway = null;
  if (old !== null) {
    old.kill('SIGTERM');
    await old.ended;
  }
  startGateway();
}

const compiler = spawn(
  process.execPath,
  [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    'tsconfig.build.json',
    '--watch',
    '--preserveWatchOutput',
  ],
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
);
createInterface({ input: compiler.stdout }).on('line', (line) => {
  if (line.trim() !== '') say(line);
  if (/Found \d+ errors?\. Watching/.test(line)) restartGateway();
});
compiler.on('close', (code) => {
  if (!stopping) say(`The compiler ended with ${code}.`);
  void stop(code ?? 1);
});

// The explorer is part of the gateway: it is rebuilt, then the gateway restarts with it.
let pending = null;
watch(join(root, 'web/explorer/src'), { recursive: true }, () => {
  clearTimeout(pending);
  pending = setTimeout(() => {
    say('Building the explorer page …');
    const build = spawn('npm', ['run', 'build', '--silent', '-w', 'web/explorer'], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    build.on('close', (code) => (code === 0 ? restartGateway() : say('The explorer page was not built.')));
  }, 200);
});

async function stop(code) {
  if (stopping) return;
  stopping = true;
  compiler.kill();
  await restarting;
  gateway?.kill('SIGTERM');
  await gateway?.ended;
  await vite?.close();
  process.exit(code);
}
process.on('SIGINT', () => void stop(0));
process.on('SIGTERM', () => void stop(0));

function say(text) {
  process.stderr.write(`• ${text}\n`);
}
