import type { Expectation } from '../../domain/models/check.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import { maskedJson } from '../../lib/secrets/masked-json.ts';
import { counted } from '../../lib/text/amounts.ts';
import type { ConversationEnd, EndReason, MadeCall } from '../conversation.ts';

const longestShown = 200;
const maxShown = 3;

const ends: Readonly<Record<Exclude<EndReason, 'answered'>, string>> = {
  cut: 'The answer became too long and was cut.',
  stopped: 'It was stopped before the model had answered.',
  turns: 'The model went on calling tools without coming to an answer.',
  tokens: 'The model used up its tokens without coming to an answer.',
  time: 'The model took too long.',
  failed: 'The model could not be asked.',
};

/** What did not happen as it must, in sentences; none when a check passes. */
export function evaluate(expect: Expectation, end: ConversationEnd): string[] {
  const { made, tokens, reason, error } = end;
  const used = tokens.input + tokens.output;
  const text = end.text.toLowerCase();
  return [
    ...(reason === 'answered' ? [] : [error?.message ?? ends[reason]]),
    ...(expect.calls ?? []).flatMap((call) => missingCall(call, made)),
    ...(expect.notCalled ?? [])
      .filter((name) => made.some(({ tool }) => tool === name))
      .map((name) => `${name} was called, and must not be.`),
    ...(expect.text ?? [])
      .filter((words) => !text.includes(words.toLowerCase()))
      .map((words) => `The answer does not say ${JSON.stringify(words.slice(0, longestShown))}.`),
    ...(expect.maxTokens !== undefined && used > expect.maxTokens
      ? [`It took ${used} tokens, and may take ${expect.maxTokens}.`]
      : []),
    ...(expect.maxCalls !== undefined && made.length > expect.maxCalls
      ? [`It took ${counted(made.length, 'call')}, and may take ${expect.maxCalls}.`]
      : []),
  ];
}

function missingCall(
  { tool, arguments: wanted }: NonNullable<Expectation['calls']>[number],
  made: readonly MadeCall[],
): string[] {
  const calls = made.filter((call) => call.tool === tool);
  if (calls.length === 0) return [`${tool} was not called.`];
  if (wanted === undefined || calls.some((call) => contains(call.arguments, wanted))) return [];
  const shown = calls.slice(0, maxShown).map((call) => shortJson(call.arguments));
  return [`${tool} was called, but never with ${shortJson(wanted)}: it was called with ${shown.join(', ')}.`];
}

function shortJson(value: unknown): string {
  const text = maskedJson(value, longestShown);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

/** Whether everything that is wanted is there as it is wanted; objects may hold more, lists may not. */
export function contains(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return sameJson(value, wanted);
  return (
    isObject(value) &&
    Object.entries(wanted).every(
      ([name, inner]) => Object.hasOwn(value, name) && contains(value[name], inner),
    )
  );
}
