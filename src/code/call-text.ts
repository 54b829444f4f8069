import { isFailure } from '../domain/call.ts';
import { counted } from '../lib/text/amounts.ts';
import type { ScriptCall } from './script-host.ts';

const maxCallsTold = 30;

/** The calls that a script made, so that a model does not make them again. */
export function callText(calls: readonly ScriptCall[]): string {
  if (calls.length === 0) return 'It made no calls.';
  const told = calls.slice(-maxCallsTold).map(({ path, outcome, status, kind }) => {
    if (outcome === 'ok') return `${path} ok`;
    const isUnknown = kind !== 'read' && (outcome === null || outcome === 'cancelled');
    const what = isUnknown
      ? 'outcome unknown: look before you repeat it'
      : outcome === null || !isFailure(outcome)
        ? (outcome ?? 'not finished')
        : status === null
          ? outcome
          : `${outcome}, HTTP ${status}`;
    return `${path} ${what}`;
  });
  const before = calls.length - told.length;
  return `It made ${counted(calls.length, 'call')}: ${before > 0 ? `${before} before these; ` : ''}${told.join('; ')}.`;
}

/** What a script returned, as it is read: a text by itself without its quotes. */
export function readableResult(text: string): { readonly text: string; readonly mediaType: string } {
  if (text === '') return { text: 'The script returned nothing.', mediaType: 'text/plain' };
  const value: unknown = text.startsWith('"') ? JSON.parse(text) : null;
  return typeof value === 'string' && value !== ''
    ? { text: value, mediaType: 'text/plain' }
    : { text, mediaType: 'application/json' };
}
