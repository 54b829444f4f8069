import { HandrailError } from '../../../domain/errors.ts';
import type { MaskText } from '../../../lib/secrets/mask-secrets.ts';
import { trimEndOf } from '../../../lib/text/trim-ends.ts';
import { cleanText } from '../clean-text.ts';
import type { CompiledTool, Reply } from '../../types.ts';
import { protectText } from '../untrusted-text.ts';
import { adviceFor } from './advice.ts';
import { readErrorBody, type ReadError } from './read-error-body.ts';
import { waitFor } from './retry-after.ts';
import { statementText } from './statement-text.ts';

/** What an error tells of a body at most, in characters. */
export const mostTold = 4_000;
const leastBudget = 500;
const saidForAdvice = 4_000;

/** What a model is told when the API answered with an error: what it said, structure first, and what to do about it. */
export function upstreamRefused(tool: CompiledTool, reply: Reply, maskSecrets: MaskText): HandrailError {
  const { status } = reply;
  const reading = readErrorBody(reply, maskSecrets);
  const waitMs = waitFor(reply, reading.waits);
  const most = Math.max(leastBudget, Math.min(mostTold, tool.tool.reply.maxBytes ?? mostTold));
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

const mostWords = 100_000;

function tidyLines(text: string): string {
  const some =
    text.length <= mostWords ? text : `${text.slice(0, mostWords / 2)}\n${text.slice(-mostWords / 2)}`;
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
