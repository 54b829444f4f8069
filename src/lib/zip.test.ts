import { expect, it } from 'vitest';
import { readZip } from '../../test/support/archives/read-zip.ts';
import { zip } from './zip.ts';

it('writes an archive whose directory leads to every file, the same each time', () => {
  const entries = [
    { name: 'manifest.json', content: '{"a":"ä"}' },
    { name: 'ordner/größe.js', content: 'x'.repeat(70_000) },
    { name: 'empty', content: '' },
  ];
  const archive = zip(entries);
  expect([...readZip(archive)]).toEqual(entries.map(({ name, content }) => [name, content]));
  expect(zip(entries)).toEqual(archive);
});
