import { readFileSync } from 'node:fs';

/** Handrail's version, from the package it runs from. */
export const version: string = readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest))
    throw new Error('package.json names no version');
  return String(manifest.version);
}
