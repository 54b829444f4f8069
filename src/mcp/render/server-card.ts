import { createHash } from 'node:crypto';
import type { Server, ServerPolicy } from '../../domain/server.ts';
import { legacyRevisions, modernRevision } from '../context.ts';
import { shownIcons } from './icons.ts';
import { capabilitiesOf } from '../core/introduction.ts';

/** The media type of a server card. */
export const serverCardType = 'application/mcp-server-card+json';

// The length that registries accept for a title and a description, in characters.
const maxTextLength = 100;

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

/** The `server.json` that MCP registries accept (https://modelcontextprotocol.io/registry/remote-servers). */
export function registryEntry(server: Server, url: string, iconsAt: string): Record<string, unknown> {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    ...identity(server, url, shownIcons(server.icons, iconsAt).filter(isForRegistries)),
    remotes: [remote(server, url)],
  };
}

// What their schema accepts: an HTTPS URL of at most 255 characters, for an image type that browsers show.
function isForRegistries({ src, mimeType, sizes }: NonNullable<Server['icons']>[number]): boolean {
  return (
    /^https:/i.test(src) &&
    src.length <= 255 &&
    (mimeType === undefined || /^image\/(?:png|jpeg|jpg|svg\+xml|webp)$/.test(mimeType)) &&
    (sizes ?? []).every((size) => /^(?:\d+x\d+|any)$/.test(size))
  );
}

function identity(server: Server, url: string, icons: NonNullable<Server['icons']>) {
  // Registries reject an empty description.
  const description = server.description?.trim() || server.name;
  return {
    name: `${reverseName(new URL(url).hostname)}/${server.slug}`,
    title: cut(server.name),
    description: cut(description),
    // A new version whenever the server changes, so that registries accept the update.
    version: `1.0.${server.revision}`,
    ...(icons.length > 0 && { icons }),
  };
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= maxTextLength ? text : `${characters.slice(0, maxTextLength - 1).join('')}…`;
}

function remote(server: Server, url: string) {
  const header = headerFor(server.policy);
  return { type: 'streamable-http', url, ...(header && { headers: [header] }) };
}

/** The header that authenticates a client, described so that clients ask their user for what it needs. */
function headerFor(policy: ServerPolicy) {
  const secret = { isRequired: true, isSecret: true };
  const key = { description: 'Access key of this gateway', ...secret };
  switch (policy.kind) {
    case 'key':
      if (policy.header !== undefined) return { name: policy.header, ...key };
      // Braces are literal unless a variable with that name is declared next to them.
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

// Names are reverse domain names; an IP address becomes localhost.
function reverseName(hostname: string): string {
  const plain = hostname.replace(/^\[|\]$/g, '');
  if (/^[\d.]+$/.test(plain) || plain.includes(':')) return 'localhost';
  return plain.split('.').toReversed().join('.');
}

/** A tag that changes with the document. */
export function entityTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
