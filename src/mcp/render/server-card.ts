import { createHash } from 'node:crypto';
import type { Server, ServerPolicy } from '../../domain/server.ts';
import { legacyRevisions, modernRevision } from '../context.ts';
import { shownIcons } from './icons.ts';
import { capabilitiesOf } from '../core/introduction.ts';

/** The media type of a server card. */
export const serverCardType = 'application/mcp-server-card+json';

// What registries take of a title and of a description, in characters.
const longestText = 100;

/**
 * What a client can know before it connects (SEP-2127, a draft of the extensions track:
 * https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2127).
 */
export function serverCard(server: Server, url: string, iconsAt: string): Record<string, unknown> {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    ...identity(server, url, shownIcons(server.icons, iconsAt)),
    remotes: [{ ...remote(server, url), supportedProtocolVersions: [modernRevision, ...legacyRevisions] }],
    capabilities: capabilitiesOf(server, undefined, true),
    ...(server.instructions !== undefined && { instructions: server.instructions }),
  };
}

/** The `server.json` that MCP registries take (https://modelcontextprotocol.io/registry/remote-servers). */
export function registryEntry(server: Server, url: string, iconsAt: string): Record<string, unknown> {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    ...identity(server, url, shownIcons(server.icons, iconsAt).filter(isForRegistries)),
    remotes: [remote(server, url)],
  };
}

// What their schema takes: an address over HTTPS of at most 255 characters, of a picture that browsers show.
function isForRegistries({ src, mimeType, sizes }: NonNullable<Server['icons']>[number]): boolean {
  return (
    /^https:/i.test(src) &&
    src.length <= 255 &&
    (mimeType === undefined || /^image\/(?:png|jpeg|jpg|svg\+xml|webp)$/.test(mimeType)) &&
    (sizes ?? []).every((size) => /^(?:\d+x\d+|any)$/.test(size))
  );
}

function identity(server: Server, url: string, icons: NonNullable<Server['icons']>) {
  // Registries take no empty description.
  const description = server.description?.trim() || server.name;
  return {
    name: `${reverseName(new URL(url).hostname)}/${server.slug}`,
    title: cut(server.name),
    description: cut(description),
    // A new version whenever the server's description changed, so that registries take the new one.
    version: `1.0.${server.revision}`,
    ...(icons.length > 0 && { icons }),
  };
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= longestText ? text : `${characters.slice(0, longestText - 1).join('')}…`;
}

function remote(server: Server, url: string) {
  const header = headerFor(server.policy);
  return { type: 'streamable-http', url, ...(header && { headers: [header] }) };
}

/** The header that lets a client in, described so that clients ask their user for what it needs. */
function headerFor(policy: ServerPolicy) {
  const secret = { isRequired: true, isSecret: true };
  const key = { description: 'Access key of this gateway', ...secret };
  switch (policy.kind) {
    case 'key':
      if (policy.header !== undefined) return { name: policy.header, ...key };
      // Braces stay as they are unless a variable of that name is declared beside them.
      return { name: 'Authorization', ...key, value: 'Bearer {key}', variables: { key } };
    case 'basic':
      return {
        name: 'Authorization',
        description: 'HTTP Basic: any user name, and an access key of this gateway as the password',
        ...secret,
      };
    default:
      return undefined;
  }
}

// Names are reverse domain names; a machine without one is named after its address.
function reverseName(hostname: string): string {
  const plain = hostname.replace(/^\[|\]$/g, '');
  if (/^[\d.]+$/.test(plain) || plain.includes(':')) return 'localhost';
  return plain.split('.').toReversed().join('.');
}

/** A tag that changes with the document. */
export function entityTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
