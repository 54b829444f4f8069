import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { AuthScheme } from '../domain/auth-scheme.ts';
import { cliErrors } from '../domain/error-messages/cli.ts';
import { readStream } from '../lib/read-stream.ts';
import { UsageError } from './command.ts';

/** The source of an import, in the form of the admin API. */
export interface ImportSource {
  readonly body: object;
  /** Files that were included because the document refers to them. */
  readonly alsoRead: readonly string[];
}

const maxFiles = 4_000;
const maxBytes = 64 * 1024 * 1024;
const isDocument = /\.(ya?ml|json)$/i;

/** Reads a file with the files it refers to, a folder, or standard input; a URL is passed to the gateway. */
export async function readImportSource(source: string, bundle: string | undefined): Promise<ImportSource> {
  if (/^https?:\/\//i.test(source)) return { body: { url: source }, alsoRead: [] };
  if (source === '-') {
    return { body: { files: [pack('standard input', await readStream(process.stdin))] }, alsoRead: [] };
  }
  const found = await stat(source).catch(() => null);
  if (found === null) throw cliErrors.fileNotFound({ path: source });
  const folder = bundle ?? (found.isDirectory() ? source : undefined);
  if (folder === undefined) return readWithSiblings(source);
  const files = [];
  for (const name of await listFiles(folder)) files.push(pack(name, await readFile(join(folder, name))));
  const root = found.isDirectory()
    ? undefined
    : relative(resolve(folder), resolve(source)).split(sep).join('/');
  return { body: { files, ...(root !== undefined && { root }) }, alsoRead: [] };
}

/** Reads overlay files in the form of the admin API; `none` alone means no overlay. */
export async function readOverlays(
  paths: readonly string[],
): Promise<{ overlays?: { name: string; text: string }[] }> {
  if (paths.length === 0) return {};
  if (paths.length === 1 && paths[0] === 'none') return { overlays: [] };
  const overlays = [];
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text === null) throw cliErrors.overlayNotFound({ path });
    overlays.push({ name: basename(path), text });
  }
  return { overlays };
}

/** The scheme that `--auth` names; undefined without one. */
export function readAuth(how: string | undefined): AuthScheme | undefined {
  if (how === undefined) return undefined;
  if (how === 'bearer' || how === 'basic' || how === 'none') return { kind: how };
  const at = how.indexOf(':');
  const place = (['header', 'query', 'cookie'] as const).find((each) => each === how.slice(0, at));
  const name = how.slice(at + 1);
  if (place === undefined || name === '')
    throw new UsageError('--auth must be bearer, basic, none, header:NAME, query:NAME or cookie:NAME');
  return { kind: 'api-key', in: place, name };
}

/** A document with every file it refers to, directly or indirectly, in its own folder or below. */
async function readWithSiblings(source: string): Promise<ImportSource> {
  const root = basename(source);
  const folder = await realpath(dirname(resolve(source)));
  const files = new Map([[root, await readFile(source)]]);
  let bytes = files.get(root)!.byteLength;
  for (const [name, content] of files) {
    for (const target of referredFiles(content.toString('utf8'))) {
      const path = resolve(folder, dirname(name), target);
      const wanted = relative(folder, path).split(sep).join('/');
      if (files.has(wanted) || !isDocument.test(wanted) || !(await isWithin(folder, path))) continue;
      const sibling = await readFile(path);
      bytes += sibling.byteLength;
      if (files.size >= maxFiles || bytes > maxBytes)
        throw cliErrors.tooManyReferences({ maxFiles, maxMb: maxBytes / 1024 / 1024 });
      files.set(wanted, sibling);
    }
  }
  const packed = [...files].map(([name, content]) => pack(name, content));
  const alsoRead = [...files.keys()].slice(1);
  return { body: { files: packed, ...(alsoRead.length > 0 && { root }) }, alsoRead };
}

// Only collects files to upload; the importer resolves the references.
function referredFiles(text: string): Set<string> {
  const targets = new Set<string>();
  for (const match of text.matchAll(/["']?\$ref["']?\s*:\s*(?:"([^"#]+)|'([^'#]+)|([^\s"'#,}\]]+))/g)) {
    const target = (match[1] ?? match[2] ?? match[3])!.trim();
    if (!/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(target)) targets.add(decode(target));
  }
  return targets;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

// Checks the target of a symbolic link, not the link itself.
async function isWithin(folder: string, path: string): Promise<boolean> {
  try {
    const real = await realpath(path);
    return real.startsWith(folder + sep) && (await stat(real)).isFile();
  } catch {
    return false;
  }
}

function pack(name: string, bytes: Buffer) {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return { name, content: (isPacked ? bytes : gzipSync(bytes)).toString('base64') };
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw cliErrors.folderNotFound({ path: folder });
  });
  const names = entries
    .filter((entry) => entry.isFile() && isDocument.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => !name.split('/').includes('node_modules'));
  if (names.length > maxFiles) throw cliErrors.tooManyDocuments({ path: folder, max: maxFiles });
  return names;
}
