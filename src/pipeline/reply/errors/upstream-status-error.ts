import { HandrailError } from '../../../domain/errors.ts';
import { pipelineErrors } from '../../../domain/error-messages/pipeline.ts';
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
import { maskBytes } from '../mask-bytes.ts';
import { nameOf } from '../file-content.ts';
import { contentTypeOf, decodeText } from '../media-type.ts';

/** How much of an error body a model gets, in characters. */
export const maxErrorCharacters = 4_000;
const minBudget = 500;
const saidForAdvice = 4_000;

/**
 * The error a model gets when the API answered with one: what it said, most specific first, and what to do about it.
 */
export function upstreamStatusError(tool: CompiledTool, reply: Reply, maskSecrets: MaskText): HandrailError {
  const { status } = reply;
  const reading = readErrorBody(reply, maskSecrets);
  const waitMs = waitFor(reply, reading.waits);
  const maxCharacters = Math.max(
    minBudget,
    Math.min(maxErrorCharacters, tool.tool.reply.maxBytes ?? maxErrorCharacters),
  );
  // The body was masked before it was read, so that shortening it can't leave half a secret; reading it can join another.
  const said = maskSecrets(cleanText(saidText(reading, status, maxCharacters)));
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

function saidText(reading: ReadError, status: number, maxCharacters: number): string {
  const { headline, lines } = statementText(reading, status, maxCharacters);
  const words = headAndTail(tidyLines(reading.words), Math.floor(maxCharacters / 2));
  const said = [words, headline].filter((line) => line !== '');
  // A single statement needs no list.
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

/** The start and end of a long text: some errors begin with the cause, others, such as Python's, end with it. */
function headAndTail(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const tail = Math.floor(maxCharacters / 3);
  return `${text.slice(0, maxCharacters - tail).trimEnd()}\n[…]\n${text.slice(-tail).trimStart()}`;
}

function messageText(tool: CompiledTool, status: number, said: string, advice: string): string {
  const { text, note, wrapped } = protectText(tool, said);
  const answered = `The API answered HTTP ${status}${status < 400 ? ', but its reply reports an error' : ''}`;
  if (text === '') return `${answered}. ${advice}`;
  const parts = wrapped
    ? [`${answered}. ${advice}`, text]
    : text.includes('\n') || text.startsWith('- ')
      ? [`${answered}:${text.startsWith('- ') ? '\n' : ' '}${text}`, advice]
      : [`${answered}: ${trimEndOf(text, '.')}. ${advice}`];
  return [...parts, ...(note === null ? [] : [note])].join('\n');
}

const maxAddressLength = 500;

/** The error for a redirect that is not followed: where it leads, and what the operator can change. */
export function redirectError(tool: CompiledTool, reply: Reply, maskSecrets: MaskText): HandrailError {
  const { status } = reply;
  const location = reply.headers['location'];
  const slug = JSON.stringify(tool.api.slug);
  const details = { upstreamStatus: status };
  if (location === undefined) return pipelineErrors.redirectWithoutLocation({ status, slug }, details);
  const to = maskSecrets(cleanText(addressOf(location, tool.request.origin))).slice(0, maxAddressLength);
  return pipelineErrors.redirectNotFollowed(
    { status, location: to, advice: redirectAdvice(to, status, slug) },
    details,
  );
}

function addressOf(location: string, origin: string): string {
  if (!location.startsWith('/') || !URL.canParse(location, origin)) return location;
  return new URL(location, origin).href;
}

function redirectAdvice(to: string, status: number, slug: string): string {
  const setting = `raise maxRedirects in the limits of the API ${slug}`;
  if (/[/.?&](?:log-?in|sign-?in|sso|saml2?|oauth2?|auth|authorize|account)(?:[/.?=&]|$)/i.test(to))
    return `That looks like a sign-in page: most likely the credential stored for this API is missing or no longer accepted. If the redirect should be followed, its operator can ${setting}.`;
  return status === 301 || status === 308
    ? `It has moved permanently: its operator should change the base URL of the API ${slug} or the path of this tool, or ${setting}.`
    : `If it should be followed, its operator can ${setting}.`;
}

/**
 * The full error reply of an API, if it is longer than what the error message contains; null if the message contains all
 * of it, or the operator limited the size of replies.
 */
export function fullErrorReply(
  tool: CompiledTool,
  reply: Reply | null,
  maskSecrets: () => MaskText,
): (() => WholeReply) | null {
  if (reply === null || reply.status < 400 || reply.body.length <= maxErrorCharacters) return null;
  if (tool.tool.reply.maxBytes !== undefined) return null;
  return () => {
    const type = contentTypeOf(reply);
    const mask = maskSecrets();
    const mediaType = type.name || 'text/plain';
    const name = nameOf(tool, reply, mediaType, mask);
    return type.text
      ? { kind: 'text', text: redactText(tool, mask(cleanText(decodeText(reply, type)))), mediaType, name }
      : { kind: 'bytes', bytes: maskBytes(reply.body, mask), mediaType, name };
  };
}
