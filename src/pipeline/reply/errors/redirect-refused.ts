import { HandrailError } from '../../../domain/errors.ts';
import type { MaskText } from '../../../lib/secrets/mask-secrets.ts';
import type { CompiledTool, Reply } from '../../types.ts';
import { cleanText } from '../clean-text.ts';

const longestAddress = 500;

/** What is told when the API answers with a redirect that is not followed: where it leads, and what the operator can set. */
export function redirectRefused(tool: CompiledTool, reply: Reply, maskSecrets: MaskText): HandrailError {
  const { status } = reply;
  const location = reply.headers['location'];
  const slug = JSON.stringify(tool.api.slug);
  const details = { upstreamStatus: status };
  if (location === undefined)
    return new HandrailError(
      'upstream_redirect',
      `The API answered with a redirect (HTTP ${status}) that does not say where to. Its operator should check the base URL of ${slug} and the path of this tool.`,
      details,
    );
  const to = cleanText(maskSecrets(addressOf(location, tool.request.origin))).slice(0, longestAddress);
  return new HandrailError(
    'upstream_redirect',
    `The API answered with a redirect (HTTP ${status}) to ${to}, which is not followed. ${meaning(to, status, slug)}`,
    details,
  );
}

function addressOf(location: string, origin: string): string {
  if (!location.startsWith('/') || !URL.canParse(location, origin)) return location;
  return new URL(location, origin).href;
}

function meaning(to: string, status: number, slug: string): string {
  const setting = `raise maxRedirects in the limits of the API ${slug}`;
  if (/[/.?&](?:log-?in|sign-?in|sso|saml2?|oauth2?|auth|authorize|account)(?:[/.?=&]|$)/i.test(to))
    return `That looks like a sign-in page: most likely the credential stored for this API is missing or no longer accepted. If the redirect is meant to be followed, its operator can ${setting}.`;
  return status === 301 || status === 308
    ? `It has moved for good: its operator should change the base URL of the API ${slug} or the path of this tool, or ${setting}.`
    : `If that is meant, its operator can ${setting}.`;
}
