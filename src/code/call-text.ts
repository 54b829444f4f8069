import { isFailure } from '../domain/call.ts';
import { counted } from '../lib/text/amounts.ts';
import type { ScriptCall } from './script-host.ts';

const maxCallsShown = 30;

/** Lists the calls that a script made, so that a model doesn't repeat them. */
export function callText(calls: readonly ScriptCall[]): string {
  if (calls.length === 0) return 'It made no calls.';
  const lines = calls.slice(-maxCallsShown).map(({ path, outcome, status, kind }) => {
    if (outcome === 'ok') return `${path} ok`;
    const isUnknown = kind !== 'read' && (outcome === null || outcome === 'cancelled');
    const what = isUnknown
      ? 'outcome unknown: check before you repeat it'
      : outcome === null || !isFailure(outcome)
        ? (outcome ?? 'not finished')
        : status === null
          ? outcome
          : `${outcome}, HTTP ${status}`;
    return `${path} ${what}`;
  });
  const before = calls.length - lines.length;
  return `It made ${counted(calls.length, 'call')}: ${before > 0 ? `${before} earlier calls; ` : ''}${lines.join('; ')}.`;
}

/** What a script returned, in readable form: a lone string is shown without quotes. */
export function readableResult(text: string): { readonly text: string; readonly mediaType: string } {
  if (text === '')
    return {
      text: 'The script returned nothing: put return before the value to show.',
      mediaType: 'text/plain',
    };
  const value: unknown = text.startsWith('"') ? JSON.parse(text) : null;
  return typeof value === 'string' && value !== ''
    ? { text: value, mediaType: 'text/plain' }
    : { text, mediaType: 'application/json' };
}
