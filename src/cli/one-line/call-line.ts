import { type CallRecord, isFailure } from '../../domain/call.ts';
import { paint } from '../show.ts';

const maxArguments = 100;
const maxMessage = 160;

/** A recorded call as one line for people: when, which tool with which arguments, and what came of it. */
export function callLine(record: CallRecord, color: boolean): string {
  const { toolName, argumentsText, upstreamStatus, outcome, durationMs, message, cached } = record;
  const failed = isFailure(outcome);
  const tone = failed ? 'bad' : outcome === 'waiting' ? 'warn' : 'good';
  const dim = (text: string) => (color && text !== '' ? paint('dim', text) : text);
  const mark = failed ? '✗' : outcome === 'waiting' ? '…' : '✓';
  const status = upstreamStatus === null ? (failed ? outcome : 'no request') : `HTTP ${upstreamStatus}`;
  const size = failed ? [] : [`${record.outputTokens.toLocaleString('en')} tokens`];
  const facts = [cached ? 'from cache' : status, ...size, `${Math.round(durationMs)} ms`].join(' · ');
  const args =
    argumentsText === null || argumentsText === '{}' ? '' : ` ${oneLine(argumentsText, maxArguments)}`;
  const why = failed && message !== null ? `\n           ${oneLine(message, maxMessage)}` : '';
  const head = `${mark} ${oneLine(toolName, 80)}`;
  return `${dim(timeOfDay(record.startedAtMs))}  ${color ? paint(tone, head) : head}${dim(args)}  ${dim(facts)}${why}`;
}

// An argument or message can have line breaks and control characters, which a terminal would obey.
function oneLine(text: string, max: number): string {
  // oxlint-disable-next-line no-control-regex -- exactly these must not reach a terminal
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}

function timeOfDay(ms: number): string {
  const at = new Date(ms);
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
