import { mkdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'vite';

const bundles = new Map<string, Promise<string>>();

/** Makes a TypeScript program of this project runnable by plain node, for tests that need a process of its own; returns its path. */
export function bundle(entry: string): Promise<string> {
  let made = bundles.get(entry);
  if (!made) bundles.set(entry, (made = make(entry)));
  return made;
}

async function make(entry: string): Promise<string> {
  // Inside node_modules, so that the program finds its packages and nothing else finds the program.
  const outDir = resolve('node_modules/.cache/handrail-tests', String(process.pid));
  mkdirSync(outDir, { recursive: true });
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true, maxRetries: 10 }));
  const name = basename(entry, '.ts');
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: `${name}.mjs` } },
    },
  });
  return join(outDir, `${name}.mjs`);
}
