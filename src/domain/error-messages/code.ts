import { template } from '../errors.ts';

/** What can go wrong when a script calls tools. */
export const codeErrors = {
  unknownTool: template(
    'unknown_tool',
    (v: { tool: string; suggestion: string }) =>
      `There is no tool "${v.tool}" here.${v.suggestion} Find tools with search("what you want to do").`,
  ),
  toolGone: template(
    'invalid_arguments',
    (v: { tool: string }) => `The tool "${v.tool}" is no longer available here.`,
  ),
  toolNameMissing: template('invalid_arguments', 'The call does not name a tool.'),
  kindNotAllowed: template(
    'forbidden',
    (v: { tool: string; kind: string }) =>
      `"${v.tool}" is a ${v.kind} tool, which scripts on this server may not call. Ask its operator to allow it.`,
  ),
  notInComposedTool: template(
    'forbidden',
    (v: { tool: string }) =>
      `"${v.tool}" is not one of the tools that this composed tool may call. Ask its operator to add it.`,
  ),
  tooManyCalls: template(
    'script_limit',
    (v: { max: number }) => `The script has made ${v.max} calls, the maximum for one script.`,
  ),
  tooManyWaitingCalls: template(
    'script_limit',
    'The script has too many calls waiting to run. Await some of them before you start more.',
  ),
  runCancelled: template('cancelled', 'The run was canceled.'),
  runEndedBeforeCall: template('cancelled', 'The run ended before this call was made.'),
  sleepNotANumber: template(
    'invalid_arguments',
    'sleep takes milliseconds as a finite number, 0 or more, such as sleep(500).',
  ),
  describeWithoutNames: template(
    'invalid_arguments',
    'describe takes the names of tools: describe("tools.api.tool").',
  ),
  invalidFollowUp: template('invalid_arguments', (v: { problem: string }) =>
    `A tool's second object can have all: true (every page), max_items, wait: true and reply: true (status and headers). ${v.problem}`.trim(),
  ),
  notAnObject: template('invalid_arguments', 'Pass an object, or a string and an object.'),
  requestNotJson: template('invalid_arguments', 'The script sent something that is not JSON.'),
  internal: template('internal', 'Something went wrong inside Handrail.'),
  intentNotStored: template(
    'unavailable',
    'The call was not made, because the gateway could not record it first. Try again later.',
  ),
};
