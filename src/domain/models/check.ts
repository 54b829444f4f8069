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
  tool: described(toolNameText, 'The name that the server gives it.'),
  arguments: optional(
    described(
      record(text({ min: 1, max: 500 }), jsonValue<JsonValue>(), { max: 200 }),
      'The arguments that matter, each as it must be; others may be what they like.',
    ),
  ),
});

/** What must happen when a model is asked the question of a check. */
export const expectation = withRule(
  object({
    calls: optional(described(list(expectedCall, { max: 50 }), 'Tools that must be called, in any order.')),
    notCalled: optional(described(list(toolNameText, { max: 50 }), 'Tools that must not be called.')),
    text: optional(
      described(
        list(text({ min: 1, max: 2_000 }), { max: 50 }),
        'What the answer must say, in whatever case.',
      ),
    ),
    maxTokens: optional(
      described(integer({ min: 1, max: 100_000_000 }), 'The most tokens it may read and write in all.'),
    ),
    maxCalls: optional(described(integer({ min: 0, max: 10_000 }), 'The most calls of tools it may make.')),
  }),
  (expected, tell) => {
    const lists = [expected.calls, expected.notCalled, expected.text];
    const says = lists.some((one) => one !== undefined && one.length > 0);
    if (!says && expected.maxTokens === undefined && expected.maxCalls === undefined)
      tell('', 'must say what has to happen: calls, notCalled, text, maxTokens or maxCalls');
  },
);

export type Expectation = Infer<typeof expectation>;

/** What an operator says about a check. */
export const checkFields = {
  name: text({ min: 1, max: 200, pattern: /\S/, wants: 'must not be blank' }),
  question: text({ min: 1, max: 50_000, pattern: /\S/, wants: 'must not be blank' }),
  mode: optional(
    described(choice(...serverModes), 'How the server shows its tools to the model; as it does unless said.'),
  ),
  expect: described(expectation, 'What must happen.'),
};

/** A question that a model is asked on a server, and what must happen then. */
export const check = object({ ...rowFields, serverId: idText, ...checkFields });

export type Check = Infer<typeof check>;
