import { template } from '../errors.ts';

/** What can go wrong before and after the request of a call: making it, gathering pages, waiting for a job. */
export const callsErrors = {
  callerNotAllowed: template(
    'forbidden',
    (v: { tool: string }) => `This caller is not allowed to call the tool "${v.tool}".`,
  ),
  toolDisabled: template(
    'conflict',
    (v: { tool: string }) => `The tool "${v.tool}" is disabled: enable it to call it.`,
  ),
  apiMissing: template(
    'conflict',
    (v: { tool: string }) => `The tool "${v.tool}" cannot be called: its API does not exist.`,
  ),
  apiDisabled: template(
    'conflict',
    (v: { api: string; tool: string }) =>
      `The API "${v.api}" is disabled: enable it to call the tool "${v.tool}".`,
  ),
  toolWithdrawn: template('unknown_tool', 'The tool is no longer available to this caller.'),
  auditWebhookRefused: template(
    'unavailable',
    (v: { status: number }) =>
      `The audit webhook answered HTTP ${v.status}. Lines of the audit log wait until it accepts them.`,
  ),
  processEnded: template('internal', 'The process that made this call ended before the call was answered.'),
  pagesNotGathered: template('internal', 'The pages were not gathered.'),
  pagesNotReadOnly: template(
    'invalid_arguments',
    (v: { tool: string; prefix: string }) =>
      `"${v.tool}" is not a read-only tool and its reply is not known to have pages, so calling it again for more could repeat its effect. Call it without ${v.prefix}all. The call was not made.`,
  ),
  replyWithoutList: template(
    'invalid_arguments',
    'The reply has no list whose pages could be gathered: call it without all.',
  ),
  pagesOfMutation: template(
    'invalid_arguments',
    'A mutation is sent only once: leave out all. The call was not made.',
  ),
  jobStatusUnreadable: template(
    'upstream_status',
    (v: { why: string; how: string }) =>
      `The API accepted the call and started a job, but its status could not be read: ${v.why} Do not make the call again for this. ${v.how}`,
  ),
  jobFailed: template(
    'upstream_status',
    (v: { state: string; text: string }) =>
      `The API accepted the call, but the job ended as ${JSON.stringify(v.state)}. The API says:\n${v.text}`,
  ),
};
