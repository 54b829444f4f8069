import type { z } from 'zod';
import type { modelResource } from '../../http/contract/models.ts';
import { readStream } from '../../lib/read-stream.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, text, UsageError } from '../command.ts';
import { runNounAction, setOption } from '../noun-actions.ts';
import { showDone } from '../show.ts';

type ModelView = z.output<typeof modelResource>;

/** Manages the language models of the playground and of checks. */
export const models: Command = {
  summary: 'list, add, edit or delete language models',
  usage:
    '[list] | show|delete NAME | update NAME --set FIELD=VALUE | add NAME --base-url URL --model MODEL [--protocol openai|anthropic] [--keyless]',
  options: {
    'base-url': {
      type: 'string',
      value: 'URL',
      about: 'Base URL of its API, such as https://api.openai.com/v1.',
    },
    model: { type: 'string', value: 'MODEL', about: 'Model name at its provider.' },
    protocol: {
      type: 'string',
      value: 'PROTOCOL',
      about: 'Protocol of its API: openai (chat completions, the default) or anthropic (messages).',
    },
    keyless: { type: 'boolean', about: 'It needs no key; otherwise the key is read from standard input.' },
    'input-price': { type: 'string', value: 'PRICE', about: 'Input price per 1M tokens.' },
    'output-price': { type: 'string', value: 'PRICE', about: 'Output price per 1M tokens.' },
    currency: { type: 'string', value: 'CODE', about: 'Currency of these prices, such as USD.' },
    ...setOption,
  },
  examples: [
    'printf %s "$OPENAI_API_KEY" | handrail models add large --base-url https://api.openai.com/v1 --model gpt-5',
    'handrail models add local --base-url http://127.0.0.1:11434/v1 --model qwen3 --keyless',
    'handrail models update large --set model=gpt-5-mini',
    'handrail models delete large',
  ],
  run: (input) =>
    withAdminClient(input, (client) =>
      runNounAction<ModelView>(input, client, {
        noun: 'the name of the model',
        path: '/models',
        shape: {
          empty: 'There are no models yet. "handrail models add NAME" adds one.',
          heading: ['NAME', 'PROTOCOL', 'ADDRESS', 'MODEL', 'KEY'],
          row: ({ name, protocol, baseUrl, model, hasKey }) => [
            name,
            protocol,
            baseUrl,
            model,
            hasKey ? 'stored' : 'none',
          ],
        },
        own: {
          async add(name) {
            const made = await client.request<ModelView>('POST', '/models', await newModel(input, name));
            return showDone(input, `${made.name}: added`, made);
          },
        },
      }),
    ),
};

async function newModel(input: CommandInput, name: string): Promise<object> {
  const baseUrl = text(input, 'base-url');
  const model = text(input, 'model');
  if (baseUrl === undefined || model === undefined)
    throw new UsageError('give --base-url URL and --model MODEL');
  const [inputPrice, outputPrice] = [text(input, 'input-price'), text(input, 'output-price')];
  if ((inputPrice === undefined) !== (outputPrice === undefined))
    throw new UsageError('give both prices or neither: --input-price PRICE --output-price PRICE');
  const currency = text(input, 'currency');
  return {
    name,
    protocol: text(input, 'protocol') ?? 'openai',
    baseUrl,
    model,
    ...(inputPrice !== undefined && {
      prices: {
        input: inputPrice,
        output: outputPrice,
        ...(currency !== undefined && { currency }),
      },
    }),
    ...(input.options['keyless'] !== true && { key: await readKey() }),
  };
}

async function readKey(): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError('give the key on standard input, or --keyless');
  return (await readStream(process.stdin)).toString('utf8').replace(/\r?\n$/, '');
}
