import { HandrailError } from '../../../domain/errors.ts';
import type { MaskText } from '../../../lib/secrets/mask-secrets.ts';
import { trimEndOf } from '../../../lib/text/tidy-text.ts';
import { cleanText } from '../clean-text.ts';
import type { CompiledTool } from '../../compiled-tool.ts';
import type { Reply, WholeReply } from '../reply.ts';
import { protectText, redactText } from '../untrusted-text.ts';
import { adviceFor } from './advice.ts';
import { readErrorBody, type ReadError } from './read-error-body.ts';
import { waitFor } from './retry-after.ts';
import { statementText } from './statement-text.ts';
import { nameOf } from '../file-content.ts';
import { contentTypeOf, decodeText } from '../media-type.ts';

/** What an error tells of a body at most, in characters. */
export const maxTold = 4_000;
const minBudget = 500;
const saidForAdvice = 4_000;

/** What a model is told when the API answered with an error: what it said, structure first, and what to do about it. */
export function upstreamRefused(tool: CompiledTool, reply: Reply, maskSecrets: MaskText): HandrailError {
  const { status } = reply;
  const reading = readErrorBody(reply, maskSecrets);
  const waitMs = waitFor(reply, reading.waits);
  const most = Math.max(minBudget, Math.min(maxTold, tool.tool.reply.maxBytes ?? maxTold));
  // Masked once more: an escape in the body can hide a secret until it is read.
  const said = cleanText(maskSecrets(saidText(reading, status, most)));
  const advice = adviceFor({
    status,
    said: said.slice(0, saidForAdvice).toLowerCase(),
    namesField: reading.statements.some((statement) => statement.where !== ''),
    waitMs,
    tool,
  });
  return new HandrailError('upstream_status', messageText(tool, status, said, advice.text), {
    upstreamStatus: status,
    retry: advice.retry,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}

function saidText(reading: ReadError, status: number, most: number): string {
  const { headline, lines } = statementText(reading, status, most);
  const words = headAndTail(tidyLines(reading.words), Math.floor(most / 2));
  const said = [words, headline].filter((line) => line !== '');
  // A single thing needs no list.
  if (said.length === 0 && lines.length > 0 && lines.filter((line) => line.startsWith('- ')).length === 1)
    return [lines[0]!.slice(2), ...lines.slice(1)].join('\n');
  return [...said, ...lines].join('\n');
}

const maxWords = 100_000;

function tidyLines(text: string): string {
  const some =
    text.length <= maxWords ? text : `${text.slice(0, maxWords / 2)}\n${text.slice(-maxWords / 2)}`;
  return some
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** A long text from both ends: some errors begin with what is wrong, and some, such as Python's, end with it. */
function headAndTail(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.floor(most / 3);
  return `${text.slice(0, most - tail).trimEnd()}\n[…]\n${text.slice(-tail).trimStart()}`;
}

function messageText(tool: CompiledTool, status: number, said: string, advice: string): string {
  const { text, note, wrapped } = protectText(tool, said);
  if (text === '') return `The API answered HTTP ${status}. ${advice}`;
  const parts = wrapped
    ? [`The API answered HTTP ${status}. ${advice}`, text]
    : text.includes('\n') || text.startsWith('- ')
      ? [`The API answered HTTP ${status}:${text.startsWith('- ') ? '\n' : ' '}${text}`, advice]
      : [`The API answered HTTP ${status}: ${trimEndOf(text, '.')}. ${advice}`];
  return [...parts, ...(note === null ? [] : [note])].join('\n');
}

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

/**
 * All that an API said when it refused, for a body that is longer than what an error tells of it; null when the error
 * tells it all, or its operator wants no more to be told.
 */
export function wholeRefusal(
  tool: CompiledTool,
  reply: Reply | null,
  maskSecrets: () => MaskText,
): (() => WholeReply) | null {
  if (reply === null || reply.status < 400 || reply.body.length <= maxTold) return null;
  if (tool.tool.reply.maxBytes !== undefined) return null;
  return () => {
    const type = contentTypeOf(reply);
    const mask = maskSecrets();
    const mediaType = type.name || 'text/plain';
    const name = nameOf(tool, reply, mediaType, mask);
    return type.text
      ? { kind: 'text', text: redactText(tool, cleanText(mask(decodeText(reply, type)))), mediaType, name }
      : { kind: 'bytes', bytes: reply.body, mediaType, name };
  };
}
