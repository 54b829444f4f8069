// Replays the Dockerfile without a daemon: each stage is a folder, each step does there what it would do in an image (the
// same files, by .dockerignore; the same commands, with Node 24; the same user, who may write nowhere but in /data), and
// what results is started as compose.yaml starts it, asked for its health, used with a key, and stopped.
// Usage: run.mjs WORK-FOLDER NODE-24-FOLDER, as root.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { copySources } from '../support/sources/copy-sources.mjs';
import { lastingPort } from '../support/servers/lasting-port.mjs';
import { execForm, readDockerfile } from './read-dockerfile.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [work, node24] = process.argv.slice(2);
const path = `${node24}/bin:${process.env.PATH}`;
const stages = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));
const context = join(work, 'context');
const folderOf = (stage) => join(work, `stage-${stage}`);

/** The paths of an image that its steps name, so that commands can be told where they are here. */
const imagePaths = ['/usr/local/bin', '/app', '/build', '/data'];

makeContext();
let image;
for (const stage of stages) image = replay(stage);
await use(image);

/** What the builder would be sent: the sources as they stand, without what .dockerignore leaves out. */
function makeContext() {
  mkdirSync(context);
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({
      keeps: line.startsWith('!'),
      pattern: new RegExp(
        `^${line
          .replace(/^!/, '')
          .replaceAll('.', '\\.')
          .replaceAll('**/', '(?:.+/)?')
          .replaceAll(/(?<!\))\*/g, '[^/]*')}(?:/|$)`,
      ),
    }));
  const isLeftOut = (file) =>
    rules.reduce((left, { keeps, pattern }) => (pattern.test(file) ? !keeps : left), false);
  const files = copySources(context, (file) => !isLeftOut(file));
  console.log(`The builder is sent ${files.length} files.`);
}

/** Carries out the steps of a stage in a folder, and returns what an image would keep of them. */
function replay({ name, image: from, steps }) {
  const folder = folderOf(name);
  // The base image has these folders, and everything in it belongs to root.
  for (const each of ['/usr/local/bin', '/tmp']) mkdirSync(join(folder, each), { recursive: true });
  chmodSync(work, 0o755);
  assert.match(from, /^node:24-/, 'Every stage is on Node 24.');
  const made = { folder, workdir: '/', env: {}, user: '0:0' };
  const here = (inImage) => join(folder, inImage.startsWith('/') ? inImage : join(made.workdir, inImage));
  const mapped = (text) =>
    imagePaths.reduce(
      (all, each) => all.replaceAll(new RegExp(`(?<![\\w.-])${each}\\b`, 'g'), join(folder, each)),
      text,
    );
  for (const step of steps) {
    switch (step.instruction) {
      case 'WORKDIR':
        made.workdir = step.words[0];
        mkdirSync(here('.'), { recursive: true });
        break;
      case 'COPY': {
        const source = step.flags.from === undefined ? context : folderOf(step.flags.from);
        const target = step.words.at(-1);
        for (const each of step.words.slice(0, -1)) {
          const found = join(source, each);
          const isFolder = statSync(found).isDirectory();
          const into = isFolder || !target.endsWith('/') ? here(target) : join(here(target), basename(each));
          mkdirSync(dirname(into), { recursive: true });
          cpSync(found, into, { recursive: true, verbatimSymlinks: true });
        }
        break;
      }
      case 'RUN': {
        console.log(`${name}: ${step.text}`);
        const { status } = spawnSync('sh', ['-ec', mapped(step.text)], {
          cwd: here('.'),
          env: { ...process.env, PATH: path, npm_config_prefer_offline: 'true', ...made.env },
          stdio: ['ignore', 'inherit', 'inherit'],
        });
        assert.equal(status, 0, `${step.text} failed`);
        break;
      }
      case 'ENV':
        for (const [key, value] of step.words.map((word) => word.split('='))) made.env[key] = value;
        break;
      case 'USER':
        made.user = step.words[0];
        break;
      case 'HEALTHCHECK':
        made.healthCheck = execForm(step);
        break;
      case 'ENTRYPOINT':
      case 'CMD':
        made[step.instruction.toLowerCase()] = execForm(step);
        break;
      case 'VOLUME':
        made.volume = step.words[0];
        break;
      case 'ARG':
      case 'EXPOSE':
      case 'STOPSIGNAL':
        break;
      default:
        throw new Error(`${step.instruction} is not replayed yet.`);
    }
  }
  return { ...made, mapped };
}

/** Runs what was made as compose.yaml does. */
async function use({ folder, workdir, env, user, healthCheck, entrypoint, cmd, volume, mapped }) {
  const [uid, gid] = user.split(':').map(Number);
  assert.ok(uid > 0 && gid > 0, 'The image runs as a user who is not root.');
  const service = parse(readFileSync(join(root, 'compose.yaml'), 'utf8')).services.handrail;
  assert.equal(service.read_only, true);
  assert.deepEqual(service.volumes, [`data:${volume}`]);
  const port = await lastingPort();
  const settings = Object.fromEntries(
    Object.entries({ ...env, ...service.environment })
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, mapped(value).replaceAll(':8080', `:${port}`)]),
  );
  const started = {
    cwd: join(folder, workdir),
    uid,
    gid,
    env: { PATH: path, ...settings, HANDRAIL_PORT: String(port) },
  };
  const writable = spawnSync(
    'sh',
    ['-c', `find ${folder} -writable -not -type l -not -path '${folder}/data'`],
    {
      ...started,
      encoding: 'utf8',
    },
  );
  assert.equal(writable.stdout, '', 'Its user may write nowhere but in its data.');

  const [program, ...args] = [...entrypoint, ...cmd].map(mapped);
  const gateway = spawn(program, args, { ...started, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(gateway, 'exit');
  // A check that fails leaves nothing running.
  process.once('exit', () => gateway.kill('SIGKILL'));
  let told = '';
  await new Promise((resolve, reject) => {
    gateway.stdout.setEncoding('utf8').on('data', (text) => {
      told += text;
      if (told.includes('listening at')) resolve();
    });
    void ended.then(([code]) => reject(new Error(`It ended with ${code}: ${told}`)));
  });

  const check = spawnSync(healthCheck[0], healthCheck.slice(1), { ...started, encoding: 'utf8' });
  assert.equal(check.status, 0, `It is not healthy: ${check.stderr}`);
  // As `docker compose exec handrail handrail …` would.
  const command = join(folder, 'usr/local/bin/handrail');
  const made = spawnSync(command, ['keys', 'create', 'laptop', '--json'], { ...started, encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const call = (headers) =>
    fetch(`http://127.0.0.1:${port}/mcp/tools/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'weather_get', arguments: { location: 'Berlin' } },
      }),
    });
  assert.equal((await call({})).status, 401, 'Without a key nobody gets in.');
  const answer = await (await call({ authorization: `Bearer ${JSON.parse(made.stdout).key}` })).json();
  assert.ok(answer.result, JSON.stringify(answer));

  gateway.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  const after = spawnSync(healthCheck[0], healthCheck.slice(1), started);
  assert.equal(after.status, 1, 'What has ended is not healthy.');
  const bytes = Number(execFileSync('du', ['-sb', folder], { encoding: 'utf8' }).split('\t')[0]);
  console.log(`${relative(work, folder)} holds ${Math.round(bytes / 1e6)} MB beside the base image.`);
}
