import { choice, described, type Infer, integer, object, optional, text } from '../../lib/schema/schema.ts';
import { baseUrlText } from '../fields/addresses.ts';
import { rowFields } from '../fields/row-fields.ts';

/** The supported protocols of language models over HTTP, and a script that needs neither model nor key. */
export const modelProtocols = ['openai', 'anthropic', 'demo'] as const;

export type ModelProtocol = (typeof modelProtocols)[number];

// Text, so that no price is rounded; at most six decimal places, as providers use.
const price = text({
  min: 1,
  max: 20,
  pattern: /^\d{1,9}(?:\.\d{1,6})?$/,
  wants: 'must be a price such as 2.50',
});

/** Prices per million tokens. */
const modelPrices = object({
  input: described(price, 'Per million tokens that the model reads.'),
  output: described(price, 'Per million tokens that it writes.'),
  currency: optional(
    text({ min: 3, max: 3, pattern: /^[A-Z]{3}$/, wants: 'must be a currency such as USD' }),
  ),
});

export type ModelPrices = Infer<typeof modelPrices>;

/** The fields of a language model that an operator sets. */
export const modelFields = {
  name: described(text({ min: 1, max: 100, pattern: /\S/, wants: 'must not be blank' }), 'A unique name.'),
  protocol: described(
    choice(...modelProtocols),
    'The protocol: openai is chat completions, which most servers support; anthropic is messages; demo asks no model: it follows a script.',
  ),
  baseUrl: described(baseUrlText, 'The base URL of its API, such as https://api.openai.com/v1.'),
  model: described(text({ min: 1, max: 200 }), 'The provider’s name for the model.'),
  prices: optional(described(modelPrices, 'Prices per million tokens; without them no costs are shown.')),
  maxOutputTokens: optional(
    described(integer({ min: 1, max: 1_000_000 }), 'The maximum length of an answer, in tokens.'),
  ),
};

/** A language model that operators try out on their servers. */
export const model = object({
  ...rowFields,
  ...modelFields,
  /** Its key: an AES-256-GCM envelope, bound to this row and to its destination; absent if none is needed. */
  sealed: optional(text({ min: 1, max: 100_000 })),
});

export type Model = Infer<typeof model>;

/** Names are compared ignoring case and surrounding space. */
export function modelNameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** The cost of tokens at these prices, in units of their currency. */
export function costOf(
  prices: ModelPrices | undefined,
  tokens: { readonly input: number; readonly output: number },
): number | null {
  if (prices === undefined) return null;
  return (tokens.input * Number(prices.input) + tokens.output * Number(prices.output)) / 1_000_000;
}
