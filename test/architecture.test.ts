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
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { sharedSources } from '../web/admin/shared-sources.ts';
import { findCycle, type Import, loadedBefore, readImports, sourceFiles } from './support/imports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// The rooms of src/ and the rooms that each imports from: exactly these, in the order in which they stand on each other.
const rooms: Readonly<Record<string, readonly string[]>> = {
  'version.ts': [],
  lib: [],
  domain: ['lib'],
  budgets: ['lib'],
  config: ['domain', 'lib'],
  listing: ['domain', 'lib'],
  openapi: ['domain', 'lib'],
  pipeline: ['domain', 'lib'],
  search: ['domain', 'lib'],
  storage: ['budgets', 'domain', 'lib'],
  sandbox: ['lib'],
  upstream: ['budgets', 'config', 'domain', 'lib', 'pipeline'],
  registry: ['config', 'domain', 'lib', 'pipeline', 'storage', 'upstream'],
  replies: ['config', 'domain', 'lib', 'listing', 'pipeline', 'storage'],
  access: ['config', 'domain', 'lib', 'registry', 'storage', 'upstream'],
  authorization: ['access', 'config', 'credentials', 'domain', 'lib', 'registry', 'storage', 'upstream'],
  calls: ['config', 'domain', 'lib', 'pipeline', 'registry', 'storage', 'upstream'],
  code: ['calls', 'domain', 'lib', 'pipeline', 'registry', 'replies', 'sandbox', 'search', 'storage'],
  credentials: ['config', 'domain', 'lib', 'pipeline', 'registry', 'storage', 'upstream'],
  demo: ['config', 'domain', 'lib', 'registry', 'storage'],
  import: ['config', 'domain', 'lib', 'openapi', 'pipeline', 'registry', 'storage', 'upstream'],
  mcp: [
    'budgets',
    'calls',
    'code',
    'config',
    'domain',
    'lib',
    'listing',
    'pipeline',
    'registry',
    'replies',
    'search',
    'storage',
    'upstream',
  ],
  playground: ['calls', 'domain', 'import', 'lib', 'mcp', 'registry', 'storage', 'upstream'],
  http: [
    'access',
    'authorization',
    'calls',
    'code',
    'config',
    'credentials',
    'domain',
    'import',
    'lib',
    'listing',
    'mcp',
    'pipeline',
    'playground',
    'registry',
    'replies',
    'storage',
    'upstream',
  ],
  'gateway.ts': [
    'access',
    'authorization',
    'budgets',
    'calls',
    'code',
    'config',
    'credentials',
    'demo',
    'http',
    'import',
    'lib',
    'listing',
    'mcp',
    'pipeline',
    'registry',
    'replies',
    'storage',
    'upstream',
    'version.ts',
  ],
  workers: ['budgets', 'calls', 'config', 'domain', 'gateway.ts', 'http', 'lib'],
  mount: [
    'calls',
    'code',
    'credentials',
    'domain',
    'import',
    'lib',
    'listing',
    'mcp',
    'openapi',
    'pipeline',
    'registry',
    'replies',
    'sandbox',
    'upstream',
    'version.ts',
  ],
  'index.ts': ['config', 'domain', 'gateway.ts', 'mcp', 'mount', 'version.ts'],
  cli: [
    'access',
    'budgets',
    'config',
    'credentials',
    'domain',
    'gateway.ts',
    'http',
    'import',
    'lib',
    'mcp',
    'registry',
    'storage',
    'version.ts',
    'workers',
  ],
  'main.ts': ['cli'],
};

// Libraries that only some rooms or files may know.
const confined: Readonly<Record<string, readonly string[]>> = {
  '@simplewebauthn/server': ['access/second-factors'],
  undici: ['upstream/connections/undici-parts.ts', 'upstream/connections/undici-paths.d.ts'],
  oauth4webapi: ['credentials', 'access/sso'],
  'oidc-provider': ['authorization'],
  'ipaddr.js': ['lib'],
  fastify: ['http', 'gateway.ts'],
  '@fastify/busboy': ['http/files/multipart-file.ts'],
  '@fastify/static': ['http'],
  'eventsource-parser': ['cli'],
  '@modelcontextprotocol/server': ['mcp', 'mount/host-tools.ts'],
  '@modelcontextprotocol/client': [],
  kysely: ['storage'],
  // Once used, it makes every callback of Node 20 take a detour: a third more CPU for each call.
  'node:async_hooks': [],
  libsql: ['storage/sqlite/driver.ts'],
  pg: ['storage/postgres'],
  '@redis/client': ['budgets/redis'],
  zod: ['http', 'cli'],
  ajv: ['lib'],
  'ajv-formats': ['lib'],
  re2js: ['lib'],
  'jsonc-parser': ['lib/json/edit-jsonc.ts'],
  yaml: ['import'],
  'gpt-tokenizer': ['listing'],
  'quickjs-wasi': ['sandbox'],
  '@swc/wasm-typescript': ['sandbox'],
};

// Who can open sockets, by listening or by connecting: ARCHITECTURE.md, "Who opens sockets". Types are free. The global
// `fetch` and its like are held by the linter.
const sockets: Readonly<Record<string, readonly string[]>> = {
  'node:dgram': [],
  'node:dns': ['upstream/connections/egress.ts'],
  'node:http': [
    'http/app.ts',
    'demo/demo-api.ts',
    // Makes requests and responses that have no socket.
    'mount/node.ts',
    'cli/admin-client.ts',
    'cli/stdio-bridge.ts',
    'cli/commands/login.ts',
  ],
  'node:http2': [],
  'node:https': ['cli/admin-client.ts', 'cli/stdio-bridge.ts'],
  'node:net': [
    'upstream/connections/proxy-tunnel.ts',
    'cli/commands/doctor.ts',
    // These only read addresses.
    'lib/network/address-list.ts',
    'http/guards.ts',
    'lib/network/address-list.ts',
    // Takes the last place in its own queue.
    'http/connections/stop-listening.ts',
    'workers/run-workers.ts',
  ],
  'node:tls': ['upstream/connections/proxy-tunnel.ts'],
  'node:child_process': [
    'credentials/resolve-references.ts',
    'workers/worker-process.ts',
    // Opens the browser.
    'cli/commands/login.ts',
  ],
  // Threads: src/lib/start-worker.ts starts them, a worker only talks to whoever started it.
  'node:worker_threads': [
    'lib/start-worker.ts',
    'lib/json/strict/strict-json-worker.ts',
    'import/reading/parse-worker.ts',
    'listing/tokens/count-tokens-worker.ts',
    'pipeline/reply/rewrite-worker.ts',
    'replies/reading/reading-worker.ts',
    'search/build-segment-worker.ts',
    'sandbox/sandbox-worker.ts',
    'storage/sqlite/connection-worker.ts',
  ],
};

// What the admin app may share with the gateway, by the names in web/admin/shared-sources.ts.
const shared = ['#contract', '#domain', '#lib', '#explorer-page'];

// What a gateway may never need, or not before it listens: docs/adr/0042-startup-and-lazy-loading.md.
const loadedLater = [
  '#explorer',
  '@fastify/busboy',
  '@fastify/static',
  '@modelcontextprotocol/server',
  '@node-rs/argon2',
  '@redis/client',
  '@simplewebauthn/server',
  '@swc/wasm-typescript',
  'jose',
  'oidc-provider',
  'pg',
  'quickjs-wasi',
  'yaml',
  'zod',
  'http/admin/mount.ts',
  'sandbox/sandbox.ts',
];

function roomOf(path: string): string {
  return path.split('/', 1)[0]!;
}

function isIn(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => path === home || path.startsWith(`${home}/`));
}

function violations(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to, external, when }) => {
    if (external) {
      const homes = confined[to] ?? (when === 'compiling' ? undefined : sockets[to]);
      return homes === undefined || isIn(from, homes)
        ? []
        : [`${from} imports ${to}, which belongs to ${homes.join(', ') || 'nobody'}`];
    }
    const room = roomOf(from);
    const target = roomOf(to);
    if (target === room) return [];
    const may = rooms[room];
    if (may === undefined) return [`${from} is in a room that the table does not name`];
    return may.includes(target) ? [] : [`${from} imports ${to}: ${room} may not know ${target}`];
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

/** Entries of a table that nobody needs any more. */
function unused(
  table: Readonly<Record<string, readonly string[]>>,
  isUsed: (key: string, value: string) => boolean,
): string[] {
  return Object.entries(table).flatMap(([key, values]) =>
    values.filter((value) => !isUsed(key, value)).map((value) => `${key}: ${value}`),
  );
}

function roomEdges(table: Readonly<Record<string, readonly string[]>>): Import[] {
  return Object.entries(table).flatMap(([from, targets]) =>
    targets.map((to) => ({ from, to, external: false, when: 'first' as const })),
  );
}

/** Paths of our own programs as documents write them: in backticks, from the root or from src/. */
function filesNamedIn(text: string): string[] {
  return [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|tsx|js|mjs|sh))`/g)].map((match) => match[1]!);
}

function fileExists(path: string): boolean {
  return existsSync(join(root, path)) || existsSync(join(root, 'src', path));
}

describe('the architecture', () => {
  const imports = readImports(join(root, 'src'));

  it('imports along the table of rooms only, and libraries only where they belong', () => {
    expect(violations(imports)).toEqual([]);
  });

  it('has a table of rooms without a cycle, and without an edge that is no more', () => {
    expect(findCycle(roomEdges(rooms))).toBeNull();
    expect(
      unused(rooms, (room, target) =>
        imports.some(({ from, to, external }) => !external && roomOf(from) === room && roomOf(to) === target),
      ),
    ).toEqual([]);
    expect(
      unused({ ...confined, ...sockets }, (library, home) =>
        imports.some(({ from, to, external }) => external && to === library && isIn(from, [home])),
      ),
    ).toEqual([]);
  });

  it('lets the admin app share only what is meant to be shared', () => {
    const app = readImports(join(root, 'web/admin/src'));
    const outside = app.filter(({ to, external }) => (external ? to.startsWith('#') : to.startsWith('..')));
    expect(outside.map(({ to }) => to)).toEqual(expect.arrayContaining(shared));
    expect(outside.filter(({ to }) => !shared.includes(to))).toEqual([]);
    expect(Object.keys(sharedSources)).toEqual(shared);
    const tsconfig: unknown = JSON.parse(readFileSync(join(root, 'web/admin/tsconfig.json'), 'utf8'));
    expect(tsconfig).toHaveProperty(
      'compilerOptions.paths',

      Object.fromEntries(
        Object.entries(sharedSources).map(([name, folder]) => [
          `${name}/*`,
          [`../../${relative(root, folder)}/*`],
        ]),
      ),
    );
  });

  it.each(['src', 'web/admin/src', 'web/explorer/src'])('has no import cycle in %s', (folder) => {
    expect(findCycle(readImports(join(root, folder)))).toBeNull();
  });

  it('listens before it has loaded what may never be asked for', () => {
    const loaded = loadedBefore('gateway.ts', imports);
    expect(loadedLater.filter((each) => loaded.has(each))).toEqual([]);
    expect(loaded).toContain('fastify');
    expect(imports.map((each) => each.to)).toEqual(expect.arrayContaining(loadedLater));
  });

  it('has an MCP core that runs anywhere: no module of Node, no generated code', () => {
    const loaded = loadedBefore('mcp/core/core.ts', imports);
    const outside = [...loaded].filter((each) => imports.some(({ to, external }) => external && to === each));
    expect(outside).toEqual(['@jmespath-community/jmespath']);
    expect(loaded).toContain('mcp/core/call-tool.ts');
  });

  it('mounts in an app without a store, an admin surface, native code or a way to open sockets', () => {
    const entries = ['mount/handrail.ts', 'mount/node.ts', 'mount/next.ts', 'mount/code.ts'];
    const everything = imports.flatMap((each) =>
      each.when === 'compiling' ? [] : [{ ...each, when: 'first' as const }],
    );
    const reached = new Set(entries.flatMap((entry) => [...loadedBefore(entry, everything)]));
    const reachedRooms = new Set([...reached].map(roomOf));
    for (const room of ['storage', 'http', 'access', 'authorization', 'budgets', 'cli', 'config', 'workers'])
      expect(reachedRooms, room).not.toContain(room);
    const outside = [...reached].filter((each) =>
      imports.some(({ to, external }) => external && to === each),
    );
    expect(outside.filter((each) => !each.startsWith('node:')).toSorted()).toEqual([
      '#explorer',
      '@jmespath-community/jmespath',
      '@modelcontextprotocol/server',
      'ajv',
      'ajv-formats',
      'ipaddr.js',
      're2js',
      'yaml',
    ]);
    for (const module of ['node:http', 'node:https', 'node:child_process', 'node:dns', 'node:tls'])
      expect(loadedBefore('mount/handrail.ts', everything), module).not.toContain(module);
    // Threads, for long replies and scripts, are the only thing that is started, and only when one is needed.
    const first = loadedBefore('mount/handrail.ts', imports);
    expect(
      ['#explorer', 'sandbox/sandbox.ts', 'mount/explorer.ts'].filter((each) => first.has(each)),
    ).toEqual([]);
    expect(first).toContain('pipeline/run-call.ts');
  });

  it('builds the result of tools/call in one module', () => {
    const builders = readdirSync(join(root, 'src/mcp'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .filter((file) =>
        /structuredContent\b.*structuredText|\bnoResultText\(outcome\) \+/.test(
          readFileSync(join(root, 'src/mcp', file), 'utf8'),
        ),
      );
    expect(builders).toEqual(['core/call-result.ts']);
  });

  // A store gets a `Database`, whose `write` is the only way to write. That it can do nothing else with it is the
  // compiler's to enforce; these names are how a file could get at more.
  it.each([
    ['openSqlite', ['storage/sqlite/database.ts', 'storage/sqlite/driver.ts', 'storage/sqlite/restore.ts']],
    ['copyDatabase', ['storage/sqlite/backup.ts', 'storage/sqlite/driver.ts']],
    ['query_only', ['storage/sqlite/driver.ts']],
    [
      'Kysely',
      [
        'storage/database.ts',
        'storage/migrate.ts',
        'storage/postgres/open-postgres-store.ts',
        'storage/sqlite/database.ts',
      ],
    ],
  ])('lets one module write to each store: %s is named in %j only', (name, homes) => {
    const isNamed = new RegExp(`\\b${name}\\b`);
    const files = sourceFiles(join(root, 'src'))
      .filter((file) => isNamed.test(readFileSync(file, 'utf8')))
      .map((file) => relative(join(root, 'src'), file))
      .filter((file) => !file.startsWith(migrationsFolder));
    expect(files.toSorted()).toEqual(homes);
  });

  it('keeps meaning in values: a WeakMap is only ever a cache', () => {
    const homes = sourceFiles(join(root, 'src'))
      .filter((file) => /\bnew Weak(?:Map|Set)\b/.test(readFileSync(file, 'utf8')))
      .map((file) => relative(join(root, 'src'), file));
    // Long numbers are the one exception: docs/adr names what was tried instead.
    expect(homes.toSorted()).toEqual(['lib/json/numbers/exact-numbers.ts', 'lib/weak-cache.ts']);
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

  it('is described by documents that name only files that exist', () => {
    const documents = [
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'AGENTS.md',
      ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => join('docs', name)),
    ];
    const named = documents.flatMap((document) =>
      filesNamedIn(readFileSync(join(root, document), 'utf8')).map((file) => `${document}: ${file}`),
    );
    expect(named.filter((each) => each.startsWith('ARCHITECTURE.md')).length).toBeGreaterThan(7);
    expect(named.filter((each) => !fileExists(each.slice(each.indexOf(' ') + 1)))).toEqual([]);
  });
});

describe('the architecture test itself', () => {
  const planted = mkdtempSync(join(tmpdir(), 'handrail-architecture-'));
  afterEach(() => rmSync(planted, { recursive: true, force: true, maxRetries: 10 }));

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

  it('catches a library in the wrong place, file by file', () => {
    const imports = plant({
      'registry/a.ts': "import { Pool } from 'undici';\n",
      'upstream/b.ts': "import { Pool } from 'undici/lib/dispatcher/pool.js';\n",
      'upstream/connections/undici-parts.ts': "import { Pool } from 'undici';\n",
    });
    expect(violations(imports)).toHaveLength(2);
  });

  it('catches a socket where nobody may open one, and leaves types alone', () => {
    const imports = plant({
      'http/a.ts': "import type { IncomingMessage } from 'node:http';\n",
      'http/b.ts': "import { connect } from 'node:net';\n",
      'calls/c.ts': "const net = await import('node:net');\n",
    });
    expect(violations(imports).map((each) => each.split(' ', 1)[0])).toEqual(['calls/c.ts', 'http/b.ts']);
  });

  it('catches a cycle between rooms and an edge that nobody uses', () => {
    expect(findCycle(roomEdges({ a: ['b'], b: ['c'], c: ['a'] }))).toEqual(['a', 'b', 'c', 'a']);
    expect(unused({ a: ['b', 'c'] }, (_, target) => target === 'b')).toEqual(['a: c']);
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
