import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';

/**
 * Puts src/start.ts first in the page, in its own file, with the names of the files each page and language needs, so
 * that those and the first requests are on their way before the app is parsed.
 */
export function startScript(): Plugin {
  let file = '';
  return {
    name: 'handrail-start-script',
    enforce: 'pre',
    async generateBundle(_options, bundle) {
      const code = await buildAlone(filesByName(Object.values(bundle)));
      file = `assets/start-${createHash('sha256').update(code).digest('base64url').slice(0, 8)}.js`;
      this.emitFile({ type: 'asset', fileName: file, source: code });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { server }) => [
        server
          ? { tag: 'script', attrs: { type: 'module', src: '/admin/src/start.ts' }, injectTo: 'head-prepend' }
          : { tag: 'script', attrs: { src: `/admin/${file}` }, injectTo: 'head-prepend' },
      ],
    },
  };
}

/** For each page and language, its file and everything it imports. Files that load with the app anyway do no harm. */
function filesByName(
  outputs: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[],
): Record<string, string[]> {
  const chunks = new Map(
    outputs.flatMap((output) => (output.type === 'chunk' ? [[output.fileName, output]] : [])),
  );
  const entry = [...chunks.values()].find((chunk) => chunk.isEntry)!;
  const withImports = (name: string, found = new Set<string>()): Set<string> => {
    if (!found.has(name)) {
      found.add(name);
      for (const imported of chunks.get(name)?.imports ?? []) withImports(imported, found);
    }
    return found;
  };
  const always = withImports(entry.fileName);
  const files: Record<string, string[]> = {};
  for (const [name, module] of sourcesByName()) {
    const chunk = [...chunks.values()].find(({ facadeModuleId }) => facadeModuleId?.endsWith(module));
    if (chunk === undefined) throw new Error(`No file was built for ${module}.`);
    files[name] = [...withImports(chunk.fileName)]
      .filter((found) => !always.has(found))
      .map((found) => `/admin/${found}`);
  }
  return files;
}

/** The pages listed in page-files.ts, and the languages. */
function sourcesByName(): [name: string, source: string][] {
  const list = readFileSync(new URL('src/app/page-files.ts', import.meta.url), 'utf8');
  const pages = list.matchAll(/(\w+): \(\) => import\('\.\.(\/pages\/[^']+)'\)/g);
  return [
    ...[...pages].map(([, name, path]): [string, string] => [name!, path!]),
    ['en', '/i18n/en.ts'],
    ['es', '/i18n/es.ts'],
  ];
}

async function buildAlone(filesOf: Record<string, string[]>): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: 'warn',
    define: { filesOf: JSON.stringify(filesOf) },
    build: {
      write: false,
      target: 'es2023',
      rolldownOptions: {
        input: fileURLToPath(new URL('src/start.ts', import.meta.url)),
        output: { format: 'iife' },
      },
    },
  })) as Rolldown.RolldownOutput;
  return built.output[0].code;
}
