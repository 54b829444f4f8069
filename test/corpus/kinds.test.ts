import { describe, expect, it } from 'vitest';
import { kindOf } from '../../src/domain/tool.ts';
import { parseImport } from '../../src/import/reading/parse-import.ts';
import { corpusDocuments, inputOf } from './corpus.ts';

const changes =
  /^(?:(?:bulk|batch|force|permanently)[\s_-]*)?(?:delete|remove|create|add|update|modify|edit|cancel|revoke|terminate|purge|prune|enable|disable|insert|upload|publish|approve|reject)s?(?![a-z])/i;
const ends = /(?:^|[a-z0-9_/.-])(?:Delete|Remove|Purge|Prune|Terminate|Revoke|Destroy)$/;

describe('the kinds of real tools', () => {
  it('have no read whose name or summary says that it changes something', () => {
    const wrong: string[] = [];
    let reads = 0;
    for (const entry of corpusDocuments()) {
      if (!/^(?:openapi|postman)\//.test(entry.file)) continue;
      for (const { operations } of parseImport(inputOf(entry)).apis)
        for (const { key, wantedName, content } of operations) {
          if (content === null || kindOf(content) !== 'read') continue;
          reads++;
          const texts = [wantedName.replace(/^(?:GET|POST)_/, ''), content.title ?? content.description];
          if (texts.some((text) => changes.test(text)) || ends.test(wantedName))
            wrong.push(`${entry.file} ${key} ${wantedName}`);
        }
    }
    expect(wrong).toEqual([]);
    expect(reads).toBeGreaterThan(1_000);
  });
});
