import type { HandrailError } from '../../../domain/errors.ts';
import { waitingText } from '../../../domain/waiting.ts';
import type { Outcome } from '../../call.ts';
import { waitText } from './retry-after.ts';

/**
 * Why a call has no result. A waiting call hasn't failed, but it is written like a failure, so that a client doesn't
 * mistake its answer for the API's.
 */
export function noResultText(outcome: Exclude<Outcome, { readonly kind: 'done' }>): string {
  switch (outcome.kind) {
    case 'failed':
      return failureText(outcome.error);
    case 'waiting':
      return waitingText(outcome.waiting);
  }
}

/** A failed call in words for the model: what went wrong, where, and what to do about it. */
function failureText(error: HandrailError): string {
  const lines = [error.message];
  for (const problem of error.details.problems ?? []) {
    const line = `${problem.path || '/'}: ${problem.message}`;
    if (!error.message.includes(problem.message)) lines.push(`- ${line}`);
  }
  const advice = adviceFor(error);
  if (advice) lines.push(advice);
  return lines.join('\n');
}

const notYours =
  'Calling again will not help: tell the user that the operator of this gateway has to fix its configuration.';

function adviceFor(error: HandrailError): string {
  // Errors of the API itself already come with advice.
  if (error.code === 'upstream_status') return '';
  // Its message says what to do.
  if (error.code === 'account_needed') return '';
  if (error.details.retryAfterMs !== undefined) {
    return `Wait ${waitText(error.details.retryAfterMs)} before calling again.`;
  }
  switch (error.fault) {
    case 'caller':
      return error.retry === 'after-change' ? 'Correct the arguments and call again.' : '';
    case 'configuration':
      return notYours;
    case 'upstream':
      if (error.retry === 'later') return 'This may be temporary: call again later, or tell the user.';
      return error.code === 'upstream_unreachable' ? notYours : '';
    case 'handrail':
      return 'Call again later; if it keeps failing, tell the user.';
  }
}
