import type { Expectation } from '../../domain/models/check.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import { maskedJson } from '../../lib/secrets/masked-json.ts';
import { counted } from '../../lib/text/amounts.ts';
import type { ConversationEnd, EndReason, MadeCall } from '../conversation.ts';

const maxShownChars = 200;
const maxShown = 3;

const ends: Readonly<Record<Exclude<EndReason, 'answered'>, string>> = {
  cut: 'The answer was too long and was cut.',
  stopped: 'It was stopped before the model answered.',
  turns: 'The model kept calling tools without answering.',
  tokens: 'The model reached its token limit without answering.',
  time: 'The model took too long.',
  failed: 'The model could not be asked.',
};

/** The expectations that were not met, in sentences; empty if the check passes. */
export function evaluate(expect: Expectation, end: ConversationEnd): string[] {
  const { made, tokens, reason, error } = end;
  const used = tokens.input + tokens.output;
  const text = end.text.toLowerCase();
  return [
    ...(reason === 'answered' ? [] : [error?.message ?? ends[reason]]),
    ...(expect.calls ?? []).flatMap((call) => missingCall(call, made)),
    ...(expect.notCalled ?? [])
      .filter((name) => made.some(({ tool }) => tool === name))
      .map((name) => `${name} was called, but must not be.`),
    ...(expect.text ?? [])
      .filter((words) => !text.includes(words.toLowerCase()))
      .map((words) => `The answer does not say ${JSON.stringify(words.slice(0, maxShownChars))}.`),
    ...(expect.maxTokens !== undefined && used > expect.maxTokens
      ? [`It used ${used} tokens; the limit is ${expect.maxTokens}.`]
      : []),
    ...(expect.maxCalls !== undefined && made.length > expect.maxCalls
      ? [`It made ${counted(made.length, 'call')}; the limit is ${expect.maxCalls}.`]
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
  const text = maskedJson(value, maxShownChars);
  return text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : text;
}

/** Whether a value contains everything in `wanted`; objects may have more fields, lists must be equal. */
export function contains(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return sameJson(value, wanted);
  return (
    isObject(value) &&
    Object.entries(wanted).every(
      ([name, inner]) => Object.hasOwn(value, name) && contains(value[name], inner),
    )
  );
}
