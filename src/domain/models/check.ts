import {
  choice,
  described,
  type Infer,
  integer,
  jsonValue,
  list,
  object,
  optional,
  record,
  text,
  withRule,
} from '../../lib/schema/schema.ts';
import { idText, rowFields } from '../fields/row-fields.ts';
import type { JsonValue } from '../json-schema.ts';
import { toolNameText } from '../names.ts';
import { serverModes } from '../server.ts';

const expectedCall = object({
  tool: described(toolNameText, 'Its name on the server.'),
  arguments: optional(
    described(
      record(text({ min: 1, max: 500 }), jsonValue<JsonValue>(), { max: 200 }),
      'The arguments that must match; others may have any value.',
    ),
  ),
});

/** What must happen when a model is asked the check's question. */
export const expectation = withRule(
  object({
    calls: optional(described(list(expectedCall, { max: 50 }), 'Tools that must be called, in any order.')),
    notCalled: optional(described(list(toolNameText, { max: 50 }), 'Tools that must not be called.')),
    text: optional(
      described(
        list(text({ min: 1, max: 2_000 }), { max: 50 }),
        'Text that the answer must contain, ignoring case.',
      ),
    ),
    maxTokens: optional(
      described(
        integer({ min: 1, max: 100_000_000 }),
        'The maximum number of tokens it may read and write in total.',
      ),
    ),
    maxCalls: optional(
      described(integer({ min: 0, max: 10_000 }), 'The maximum number of tool calls it may make.'),
    ),
  }),
  (expected, report) => {
    const lists = [expected.calls, expected.notCalled, expected.text];
    const says = lists.some((one) => one !== undefined && one.length > 0);
    if (!says && expected.maxTokens === undefined && expected.maxCalls === undefined)
      report('', 'must say what is expected: calls, notCalled, text, maxTokens or maxCalls');
  },
);

export type Expectation = Infer<typeof expectation>;

/** The fields of a check that an operator sets. */
export const checkFields = {
  name: text({ min: 1, max: 200, pattern: /\S/, wants: 'must not be blank' }),
  question: text({ min: 1, max: 50_000, pattern: /\S/, wants: 'must not be blank' }),
  mode: optional(
    described(
      choice(...serverModes),
      'How the server shows its tools to the model; by default its own mode.',
    ),
  ),
  expect: described(expectation, 'What must happen.'),
};

/** A question for a model on a server, and what must happen. */
export const check = object({ ...rowFields, serverId: idText, ...checkFields });

export type Check = Infer<typeof check>;
