import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { findCycle, type Import, loadedBefore, readImports } from './support/imports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// Which folders a folder of src/ may import from, besides itself. Imports point inward only.
const inner = ['domain', 'lib'];
const pure = [...inner, 'openapi', 'pipeline', 'storage', 'config'];
const middle = [...pure, 'upstream', 'credentials', 'access', 'calls', 'registry', 'import'];
const surfaces = [...middle, 'mcp', 'http', 'demo'];
const allowed: Readonly<Record<string, readonly string[]>> = {
  domain: ['lib'],
  lib: [],
  openapi: inner,
  pipeline: inner,
  storage: inner,
  config: inner,
  upstream: middle,
  credentials: middle,
  access: middle,
  calls: middle,
  registry: middle,
  import: middle,
  demo: middle,
  mcp: middle,
  http: [...middle, 'mcp'],
  'gateway.ts': [...surfaces, 'version.ts'],
  cli: [...surfaces, 'gateway.ts', 'version.ts'],
  'index.ts': [...surfaces, 'gateway.ts', 'version.ts'],
  'main.ts': ['cli'],
  'version.ts': [],
};

// Libraries that only one part may know.
const confined: Readonly<Record<string, readonly string[]>> = {
  undici: ['upstream'],
  oauth4webapi: ['credentials'],
  'ipaddr.js': ['lib'],
  fastify: ['http', 'gateway.ts'],
  '@fastify/static': ['http'],
  'eventsource-parser': ['cli'],
  '@modelcontextprotocol/server': ['mcp'],
  '@modelcontextprotocol/client': ['mcp'],
  kysely: ['storage'],
  // Once used, it makes every callback of Node 20 take a detour: a third more CPU for each call.
  'node:async_hooks': [],
  libsql: ['storage'],
  pg: ['storage'],
  zod: ['import', 'http', 'cli'],
  ajv: ['lib'],
  'ajv-formats': ['lib'],
  re2js: ['lib', 'openapi'],
  yaml: ['import', 'openapi'],
};

// What a gateway may never need, or not before it listens: docs/decisions/0048-loaded-when-asked.md.
const loadedLater = [
  '#explorer',
  '@fastify/static',
  '@modelcontextprotocol/server',
  '@node-rs/argon2',
  'jose',
  'pg',
  'yaml',
  'zod',
  'http/admin/mount.ts',
];

function partOf(path: string): string {
  return path.split('/', 1)[0]!;
}

function violations(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to, external }) => {
    const part = partOf(from);
    if (external) {
      const homes = confined[to];
      return homes === undefined || homes.includes(part)
        ? []
        : [`${from} imports ${to}, which belongs to ${homes.join(', ') || 'nobody'}`];
    }
    const target = partOf(to);
    if (target === part) return [];
    const may = allowed[part];
    if (may === undefined) return [`${from} is in a folder the architecture does not name`];
    return may.includes(target) ? [] : [`${from} imports ${to}: ${part} may not know ${target}`];
  });
}

const migrationsFolder = 'storage/migrations/';

// What a migration does must not change with the program, so it has all it needs in its own folder.
function changeableImports(imports: readonly Import[]): string[] {
  return imports
    .filter(({ from }) => from.startsWith(migrationsFolder))
    .filter(({ to, external }) => (external ? to !== 'kysely' : !to.startsWith(migrationsFolder)))
    .map(({ from, to }) => `${from} imports ${to}`);
}

describe('the architecture', () => {
  const imports = readImports(join(root, 'src'));

  it('imports inward only, and libraries only where they belong', () => {
    expect(violations(imports)).toEqual([]);
  });

  it('has no import cycle', () => {
    expect(findCycle(imports)).toBeNull();
  });

  it('listens before it has loaded what may never be asked for', () => {
    const loaded = loadedBefore('gateway.ts', imports);
    expect(loadedLater.filter((each) => loaded.has(each))).toEqual([]);
    expect(loaded).toContain('fastify');
    expect(imports.map((each) => each.to)).toEqual(expect.arrayContaining(loadedLater));
  });

  it('makes a call in one place', () => {
    // That nothing else can be written where a `Call` is wanted is the compiler's to hold; a cast gets past it.
    const casts = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .filter((file) => /\bas Call\b|<Call>\s*[{(]/.test(readFileSync(join(root, 'src', file), 'utf8')));
    expect(casts).toEqual(['calls/make-call.ts']);
  });

  it('keeps migrations free of code that can change', () => {
    expect(imports.some(({ from }) => from.startsWith(migrationsFolder))).toBe(true);
    expect(changeableImports(imports)).toEqual([]);
  });

  it('has no barrel but index.ts', () => {
    const exporters = [...new Set(imports.map((each) => each.from))].filter((file) =>
      file.endsWith('/index.ts'),
    );
    expect(exporters).toEqual([]);
  });

  it('names only files that exist in ARCHITECTURE.md’s path of one call', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const section = /## The path of one call\n([\s\S]*?)\n## /.exec(text)?.[1] ?? '';
    const named = [...section.matchAll(/`(src\/[\w/.-]+\.ts)`/g)].map((match) => match[1]!);
    expect(named.length).toBeGreaterThan(7);
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

describe('the architecture test itself', () => {
  const planted = mkdtempSync(join(tmpdir(), 'handrail-architecture-'));
  afterEach(() => rmSync(planted, { recursive: true, force: true }));

  function plant(files: Readonly<Record<string, string>>): Import[] {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(planted, path, '..'), { recursive: true });
      writeFileSync(join(planted, path), text);
    }
    return readImports(planted);
  }

  it('catches a cycle', () => {
    const imports = plant({
      'lib/a.ts': "import { b } from './b.ts';\n",
      'lib/b.ts': "export { a } from './a.ts';\n",
    });
    expect(findCycle(imports)).toEqual(['lib/a.ts', 'lib/b.ts', 'lib/a.ts']);
  });

  it('catches an outward import, also a dynamic one and a type', () => {
    const imports = plant({
      'domain/a.ts': "import type { X } from '../http/app.ts';\n",
      'pipeline/b.ts': "const x = await import('../registry/rules.ts');\n",
      'http/app.ts': '',
      'registry/rules.ts': '',
    });
    expect(violations(imports)).toHaveLength(2);
  });

  it('tells what is loaded first from what is loaded when asked', () => {
    const imports = plant({
      'http/a.ts': "import type { X } from 'pg';\nimport { b } from './b.ts';\n",
      'http/b.ts': "import { z } from 'zod';\nconst later = () => import('jose');\n",
    });
    expect([...loadedBefore('http/a.ts', imports)]).toEqual(['http/b.ts', 'zod']);
  });

  it('catches a library in the wrong place', () => {
    expect(violations(plant({ 'registry/a.ts': "import { Pool } from 'undici';\n" }))).toHaveLength(1);
  });

  it('catches a migration that imports what can change, also its type', () => {
    const imports = plant({
      'storage/migrations/0001-a.ts':
        "import { sql } from 'kysely';\nimport { b } from './b.ts';\nimport type { T } from '../schema.ts';\n",
      'storage/migrations/b.ts': "import { c } from '../../lib/c.ts';\n",
      'storage/schema.ts': '',
      'lib/c.ts': '',
    });
    expect(changeableImports(imports)).toEqual([
      'storage/migrations/0001-a.ts imports storage/schema.ts',
      'storage/migrations/b.ts imports lib/c.ts',
    ]);
  });

  it('refuses to pass on an empty folder', () => {
    mkdirSync(planted, { recursive: true });
    expect(() => readImports(planted)).toThrow('no source file');
  });
});
