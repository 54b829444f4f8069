import { describe, expect, it } from 'vitest';
import { serverView } from '../../../test/support/mcp-surface.ts';
import type { Server } from '../../domain/server.ts';
import { registryEntry, serverCard } from './server-card.ts';

const entryOf = (more: Partial<Server>) =>
  registryEntry(
    serverView('pets', [], more).server,
    'https://tools.example.com/mcp/pets',
    'https://tools.example.com',
  );

describe('an entry for registries', () => {
  it('names the server after its host', () => {
    expect(entryOf({})).toMatchObject({
      name: 'com.example.tools/pets',
      remotes: [{ type: 'streamable-http', url: 'https://tools.example.com/mcp/pets' }],
    });
  });

  it('has a description that registries take', () => {
    expect(entryOf({ description: '' })['description']).toBe('Server pets');
    expect(entryOf({ description: 'x'.repeat(300) })['description']).toHaveLength(100);
  });

  it('has only pictures that registries take, and kept ones by their address', () => {
    const png = `data:image/png;base64,${Buffer.from('picture').toString('base64')}`;
    const icons = [
      { src: png, sizes: ['48x48'] },
      { src: 'http://plain.example/i.png' },
      { src: `https://long.example/${'x'.repeat(250)}` },
      { src: 'https://other.example/i.bmp', mimeType: 'image/bmp' },
      { src: 'https://other.example/i.svg', mimeType: 'image/svg+xml', sizes: ['any'] },
      { src: 'data:text/html,<script>' },
    ];
    const shown = entryOf({ icons })['icons'] as { src: string }[];
    expect(shown).toEqual([
      {
        src: expect.stringMatching(/^https:\/\/tools\.example\.com\/icons\/[\w-]{32}\.png$/) as string,
        mimeType: 'image/png',
        sizes: ['48x48'],
      },
      icons[4],
    ]);
    expect(JSON.stringify(entryOf({ icons: [icons[1]!] }))).not.toContain('icons');
  });

  it('declares the key that its header is filled with', () => {
    expect(entryOf({ policy: { kind: 'key' } })).toMatchObject({
      remotes: [
        {
          headers: [
            {
              name: 'Authorization',
              value: 'Bearer {key}',
              variables: { key: { isRequired: true, isSecret: true } },
            },
          ],
        },
      ],
    });
    expect(entryOf({ policy: { kind: 'key', header: 'X-Key' } })).toMatchObject({
      remotes: [{ headers: [{ name: 'X-Key', isSecret: true }] }],
    });
    expect(entryOf({ policy: { kind: 'basic' } })).toMatchObject({
      remotes: [{ headers: [{ name: 'Authorization', isSecret: true }] }],
    });
  });
});

it('lists every revision on a card', () => {
  const card = serverCard(
    serverView('pets', []).server,
    'http://127.0.0.1:8080/mcp/pets',
    'http://127.0.0.1:8080',
  );
  expect(card).toMatchObject({
    name: 'localhost/pets',
    remotes: [
      { supportedProtocolVersions: expect.arrayContaining(['2026-07-28', '2024-11-05']) as string[] },
    ],
  });
});
