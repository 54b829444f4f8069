import type { Problem } from '../lib/schema/problems.ts';
import { HandrailError } from './errors.ts';

/** The refusal of something because of what is wrong with it. */
export function refusal(what: string, problems: readonly Problem[]): HandrailError {
  return new HandrailError('invalid_input', `${what}: ${sentenceOf(problems)}.`, { problems });
}

/** Problems in one line, each with its place. */
export function sentenceOf(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message }) => (path === '' ? `it ${message}` : `${path} ${message}`))
    .join('; ');
}
