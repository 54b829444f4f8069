import { build } from 'vite';
import { describe, expect, it } from 'vitest';

/** The minified size of an entry with everything that it can load, in bytes, and the packages it leaves outside. */
async function sizeOf(entry: string, isWhole: boolean) {
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: isWhole || undefined },
    build: {
      ssr: entry,
      write: false,
      target: 'node20',
      minify: true,
      rollupOptions: { external: isWhole ? ['#explorer'] : (id) => !/^[./]/.test(id) },
    },
  });
  if (Array.isArray(made) || !('output' in made)) throw new TypeError('One bundle was expected.');
  const chunks = made.output.flatMap((file) => (file.type === 'chunk' ? [file] : []));
  return chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
}

describe('the size of a mount', () => {
  // What it is made of: ADR 0055. Lower these when it shrinks; raising one is a decision.
  it.each([
    ['src/mount/handrail.ts', 670_000],
    ['src/mount/node.ts', 4_000],
    ['src/mount/next.ts', 1_500],
    ['src/mount/code.ts', 110_000],
  ])('is pinned for our code in %s', async (entry, maxBytes) => {
    const bytes = await sizeOf(entry, false);
    expect(bytes).toBeLessThan(maxBytes);
    expect(bytes, 'has shrunk: lower its limit').toBeGreaterThan(maxBytes * 0.9);
  });

  it('is pinned with the packages that it needs', async () => {
    const bytes = await sizeOf('src/mount/handrail.ts', true);
    expect(bytes).toBeLessThan(1_750_000);
    expect(bytes, 'has shrunk: lower its limit').toBeGreaterThan(1_400_000);
  });
});
