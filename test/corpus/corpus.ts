import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ImportInput } from '../../src/import/reading/parsed-import.ts';

/** One entry of the corpus's manifest. */
export interface CorpusDocument {
  readonly file: string;
  readonly format: string;
  readonly operations?: number;
  readonly features?: readonly string[];
  readonly multifile?: unknown;
}

/** The folder of real documents; without it the suite cannot run, and says so. */
export function corpusFolder(): string {
  const folder = process.env['HANDRAIL_CORPUS'];
  if (!folder)
    throw new Error('Set HANDRAIL_CORPUS to the folder that holds the corpus (with its manifest.json).');
  return folder;
}

export function corpusDocuments(): CorpusDocument[] {
  const manifest = JSON.parse(
    readFileSync(join(corpusFolder(), 'manifest.json'), 'utf8'),
  ) as CorpusDocument[];
  return manifest.filter((entry) => statSync(join(corpusFolder(), entry.file)).isFile());
}

/** A document as the command line would hand it in: alone, or with its folder when it has several files. */
export function inputOf(entry: CorpusDocument): ImportInput {
  const path = join(corpusFolder(), entry.file);
  if (!entry.multifile) return { files: [{ name: entry.file, content: readFileSync(path) }] };
  const folder = join(path, '..', '..');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => join(found.parentPath, found.name));
  return {
    files: files.map((file) => ({ name: relative(folder, file), content: readFileSync(file) })),
    root: relative(folder, path),
  };
}
