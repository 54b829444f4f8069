import { template } from '../errors.ts';

/** What can go wrong when a model is asked or checks run. */
export const playgroundErrors = {
  answerIncomplete: template(
    'reply_invalid',
    (v: { model: string }) => `The endpoint of "${v.model}" stopped in the middle of its answer. Try again.`,
  ),
  answerUnreadable: template(
    'reply_invalid',
    (v: { how: string }) =>
      `The model's endpoint ${v.how}. Check that the model was added with the right protocol.`,
  ),
  answerFailed: template(
    'upstream_status',
    (v: { words: string }) =>
      `The model's endpoint ended its answer with an error${v.words === '' ? '' : `: ${v.words}`}.`,
  ),
  eventTooLong: template('reply_too_large', "The model's endpoint sent an event that is too long."),
  keyNeeded: template(
    'upstream_status',
    (v: { origin: string; status: number; model: string; said: string }) =>
      `${v.origin} needs a key (HTTP ${v.status}): enter the key of "${v.model}".${v.said}`,
  ),
  keyRejected: template(
    'upstream_status',
    (v: { origin: string; status: number; model: string; modelName: string; said: string }) =>
      `${v.origin} rejected the key of "${v.model}" (HTTP ${v.status}): enter it again, and check that it may use ${v.modelName}.${v.said}`,
  ),
  modelNotFound: template(
    'upstream_status',
    (v: { origin: string; model: string; modelName: string; said: string }) =>
      `${v.origin} found nothing at this URL or no model "${v.modelName}" (HTTP 404): check the base URL and the model name of "${v.model}".${v.said}`,
  ),
  rateLimited: template(
    'upstream_status',
    (v: { origin: string; model: string; retrySeconds: string | undefined; said: string }) =>
      `"${v.model}" is rate-limited by ${v.origin} (HTTP 429).${v.retrySeconds === undefined ? '' : ` Try again in ${v.retrySeconds} s.`}${v.said}`,
  ),
  endpointFailed: template(
    'upstream_status',
    (v: { origin: string; status: number; said: string }) =>
      `${v.origin} failed (HTTP ${v.status}): try again later.${v.said}`,
  ),
  endpointRedirects: template(
    'upstream_status',
    (v: { origin: string; status: number; said: string }) =>
      `${v.origin} redirects to another URL (HTTP ${v.status}): enter that URL as the base URL.${v.said}`,
  ),
  questionRejected: template(
    'upstream_status',
    (v: { origin: string; status: number; said: string }) =>
      `${v.origin} rejected the request (HTTP ${v.status}).${v.said}`,
  ),
  // checks and drafts
  checkRunUnreadable: template('internal', 'A stored check run cannot be read.'),
  checkRunNotFound: template('not_found', (v: { id: string }) => `There is no check run ${v.id}.`),
  noChecks: template(
    'invalid_input',
    (v: { server: string }) =>
      `The server "${v.server}" has no checks yet: save a question from the playground as one.`,
  ),
  checksRunning: template(
    'conflict',
    (v: { server: string }) =>
      `The checks of "${v.server}" are already running: wait until they finish, or stop them.`,
  ),
  draftToolUnknown: template(
    'invalid_input',
    (v: { server: string; tool: string; suggestion: string }) =>
      `The server "${v.server}" has no tool ${v.tool}.${v.suggestion}`,
  ),
  serverDisabled: template(
    'conflict',
    (v: { server: string }) => `The server "${v.server}" is disabled: enable it first.`,
  ),
};
