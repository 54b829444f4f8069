// `npm run bench`: measures tools/call and tools/list against the floor and the peers; `npm run bench --
// search`: search and list costs; `npm run bench -- code`: scripts instead of calls; `npm run bench --
// profile`: where the time of a call goes; `npm run bench -- token`: a call with a person's token next to one with a key; `npm run bench -- mount`: a call in
// process next to one over loopback; `npm run bench -- growth`: what many tools, servers and keys cost; `npm run bench -- compare`:
// one table of Handrail and others. See bench/README.md.
import { spawnSync } from 'node:child_process';
import { checkNode, ensureBuilt, ensureInstalled } from './prepare.js';

checkNode();
ensureInstalled();
ensureBuilt();
if (process.argv[2] === 'search') {
  // Memory is measured after a garbage collection.
  const run = "import('./bench/search/run.js').then((bench) => bench.runSearchBench())";
  process.exit(spawnSync(process.execPath, ['--expose-gc', '-e', run], { stdio: 'inherit' }).status ?? 1);
}
if (process.argv[2] === 'code') {
  const { runCodeBench } = await import('../bench/code/run.js');
  await runCodeBench();
  process.exit();
}
if (process.argv[2] === 'profile') {
  const { runProfile } = await import('../bench/profile/run.js');
  await runProfile();
  process.exit();
}
if (process.argv[2] === 'token') {
  const { runTokenBench } = await import('../bench/token.js');
  await runTokenBench();
  process.exit();
}
if (process.argv[2] === 'mount') {
  const { runMountBench } = await import('../bench/mount.js');
  await runMountBench();
  process.exit();
}
if (process.argv[2] === 'growth') {
  const { runGrowthBench } = await import('../bench/growth/run.js');
  await runGrowthBench();
  process.exit();
}
if (process.argv[2] === 'compare') {
  const { runCompareBench } = await import('../bench/compare/run.js');
  await runCompareBench();
  process.exit();
}
const { runBench } = await import('../bench/run.js');
await runBench();
