import type { z } from 'zod';
import type { piiRoutes } from '../../http/contract/pii.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, exitCode, text, UsageError } from '../command.ts';

type Tried = z.output<typeof piiRoutes.try.reply>;

/** Tries PII rules on a text. */
export const pii: Command = {
  summary: 'show what PII rules find in a text, without saving or sending anything',
  usage: 'TEXT [--api SLUG] [--server SLUG] [--rules JSON]',
  options: {
    api: { type: 'string', value: 'SLUG', about: 'Try the rules of this API.' },
    server: { type: 'string', value: 'SLUG', about: 'Try the rules of this server.' },
    rules: {
      type: 'string',
      value: 'JSON',
      about: 'Rules to try, such as [{"find":"card","actions":["mask-replies"]}].',
    },
  },
  examples: [
    'handrail pii "mail jane@example.com" --api crm',
    `handrail pii "order AB123456" --rules '[{"find":"pattern","name":"order","pattern":"[A-Z]{2}[0-9]{6}","actions":["mask-records"]}]'`,
  ],
  run(input) {
    const tried = input.words.join(' ');
    if (tried === '') throw new UsageError('the text is missing');
    const [api, server] = [text(input, 'api'), text(input, 'server')];
    const rules = readRules(text(input, 'rules'));
    if (api === undefined && server === undefined && rules === undefined)
      throw new UsageError('--api, --server or --rules is missing: they say which rules to try');
    return withAdminClient(input, async (client) => {
      const result = await client.request<Tried>('POST', '/pii/try', {
        text: tried,
        ...(api !== undefined && { api }),
        ...(server !== undefined && { server }),
        ...(rules !== undefined && { rules }),
      });
      if (input.json) input.print(JSON.stringify(result));
      else showTried(result, input.print);
      return exitCode.ok;
    });
  },
};

function showTried({ matches, reply, record, refused }: Tried, print: (line: string) => void): void {
  if (matches.length === 0) print('The rules find nothing in this text.');
  for (const match of matches) print(`${match.rule}: ${match.text} (${match.actions.join(', ')})`);
  print(`in a reply:     ${reply}`);
  print(`in a record:    ${record}`);
  print(`in an argument: ${refused ? 'refused' : 'sent'}`);
}

function readRules(given: string | undefined): unknown {
  if (given === undefined) return undefined;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    throw new UsageError('--rules must be JSON');
  }
}
