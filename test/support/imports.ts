import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** One import of one file. */
export interface Import {
  /** Paths relative to the walked folder; `to` is a package name for what comes from outside. */
  readonly from: string;
  readonly to: string;
  readonly external: boolean;
  /** Whether it is there before the file runs, only when the file asks for it, or only for the compiler. */
  readonly when: 'first' | 'asked' | 'compiling';
}

const statement =
  /(?:^|[;\n])\s*(?:import|export)\s+(?:[^'"();]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Reads the imports of every TypeScript source below a folder, tests left out. Fails when it finds no file. */
export function readImports(folder: string): Import[] {
  const files = sourceFiles(folder);
  if (files.length === 0)
    throw new Error(`There is no source file below ${folder}: nothing would be checked.`);
  return files.flatMap((file) => importsOf(folder, file));
}

export function sourceFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(folder: string, file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const from = relative(folder, file);
  return [...text.matchAll(statement)].map((match) => {
    const target = (match[1] ?? match[2])!;
    const when = match[2] !== undefined ? 'asked' : /^\W*\w+\s+type\s/.test(match[0]) ? 'compiling' : 'first';
    if (!target.startsWith('.')) return { from, to: packageName(target), external: true, when };
    return { from, to: relative(folder, resolve(dirname(file), target)), external: false, when };
  });
}

function packageName(target: string): string {
  const parts = target.split('/');
  return target.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}

/** Every file and package that is loaded before a file runs. */
export function loadedBefore(file: string, imports: readonly Import[]): Set<string> {
  const loaded = new Set<string>();
  const waiting = [file];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    for (const each of imports) {
      if (each.from !== from || each.when !== 'first' || loaded.has(each.to)) continue;
      loaded.add(each.to);
      if (!each.external) waiting.push(each.to);
    }
  }
  return loaded;
}

/** The files of one import cycle, in order; null when there is none. */
export function findCycle(imports: readonly Import[]): string[] | null {
  const next = new Map<string, string[]>();
  for (const { from, to, external } of imports)
    if (!external) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | null => {
    const at = path.indexOf(file);
    if (at >= 0) return [...path.slice(at), file];
    if (done.has(file)) return null;
    path.push(file);
    for (const target of next.get(file) ?? []) {
      const cycle = visit(target);
      if (cycle !== null) return cycle;
    }
    path.pop();
    done.add(file);
    return null;
  };
  for (const file of next.keys()) {
    const cycle = visit(file);
    if (cycle !== null) return cycle;
  }
  return null;
}
