import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** For smaller files the headers outweigh what compression saves. */
const minBytes = 1_000;

/**
 * Replaces each file of the app with a Brotli and a gzip version, compressed as far as possible, so that the gateway
 * only has to send them.
 */
export function compressFiles(): Plugin {
  return {
    name: 'handrail-compress-files',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      // The HTML page is small and read from disk on every request.
      const names = Object.keys(bundle).filter((name) => /\.(?:js|css|svg)$/.test(name));
      await Promise.all(names.map((name) => compressFile(join(dir!, name))));
    },
  };
}

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < minBytes) return;
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await writeFile(`${path}.br`, brotli);
  await writeFile(`${path}.gz`, gzipped);
  // Clients that accept neither get the gzip version decompressed, so the package doesn't need a third copy.
  await rm(path);
}
