import { describe, expect, it } from 'vitest';
import { serverView } from '../../../test/support/mcp-surface.ts';
import type { Server } from '../../domain/server.ts';
import { registryEntry, serverCard } from './server-card.ts';

const entryOf = (more: Partial<Server>) =>
  registryEntry(serverView('pets', [], more).server, 'https://tools.example.com/mcp/pets');

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
  const card = serverCard(serverView('pets', []).server, 'http://127.0.0.1:8080/mcp/pets');
  expect(card).toMatchObject({
    name: 'localhost/pets',
    remotes: [
      { supportedProtocolVersions: expect.arrayContaining(['2026-07-28', '2024-11-05']) as string[] },
    ],
  });
});
