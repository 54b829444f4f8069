import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { describe, expect, it } from 'vitest';
import * as library from '../dist/index.js';

const folder = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Record<
  string,
  Record<string, string>
>;

describe('the package', () => {
  it('depends on ajv and ajv-formats and nothing else', () => {
    expect(Object.keys(manifest['dependencies'] ?? {})).toEqual(['ajv', 'ajv-formats']);
    expect(manifest['peerDependencies'] ?? manifest['optionalDependencies']).toBeUndefined();
  });

  it('imports those two and nothing else, not even from Node', () => {
    const imported = new Set<string>();
    for (const file of readdirSync(`${folder}/dist`, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|d\.ts)$/.test(file)) continue;
      const text = readFileSync(`${folder}/dist/${file}`, 'utf8');
      for (const [, from] of text.matchAll(/^(?:import|export)\b[^'"\n]*?from\s*["']([^"']+)["']/gm))
        if (!from?.startsWith('.')) imported.add(from ?? '');
    }
    expect([...imported].toSorted()).toEqual([
      'ajv',
      'ajv-formats',
      'ajv-formats/dist/formats.js',
      'ajv/dist/2019.js',
      'ajv/dist/2020.js',
    ]);
  });

  it('exports the three entry points, and those of mcp-embedded-ui', () => {
    expect(Object.keys(library).toSorted()).toEqual([
      'EXPLORER_HTML_TEMPLATE',
      'buildMcpUIRoutes',
      'buildUIRoutes',
      'createHandler',
      'createNodeHandler',
      'renderExplorerHtml',
    ]);
  });

  it('packs what it needs and nothing else', () => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ) as [{ files: { path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/index.js',
        'dist/index.d.ts',
        'dist/server/page-document.js',
        'README.md',
        'CHANGELOG.md',
        'LICENSE',
        'package.json',
      ]),
    );
    expect(paths.filter((path) => /test|src\/|scripts\/|tsconfig/.test(path))).toEqual([]);
  });

  it('passes publint', async () => {
    const { messages } = await publint({ pkgDir: folder, strict: true });
    expect(messages).toEqual([]);
  });
});
