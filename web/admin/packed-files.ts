import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Below this, headers weigh more than packing takes off. */
const shortestBytes = 1_000;

/** Puts a Brotli and a gzip form in the place of each file of the app, as small as they get, so that a gateway only has to send them. */
export function packedFiles(): Plugin {
  return {
    name: 'handrail-packed-files',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      // The page itself is small, and is read anew with every request.
      const names = Object.keys(bundle).filter((name) => /\.(?:js|css|svg)$/.test(name));
      await Promise.all(names.map((name) => packFile(join(dir!, name))));
    },
  };
}

async function packFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < shortestBytes) return;
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await writeFile(`${path}.br`, brotli);
  await writeFile(`${path}.gz`, gzipped);
  // Who takes neither is sent the second one unpacked: the package need not hold it three times.
  await rm(path);
}
