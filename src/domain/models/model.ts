import { choice, described, type Infer, integer, object, optional, text } from '../../lib/schema/schema.ts';
import { baseUrlText } from '../fields/addresses.ts';
import { rowFields } from '../fields/row-fields.ts';

/** The two ways in which language models are asked over HTTP. */
export const modelProtocols = ['openai', 'anthropic'] as const;

export type ModelProtocol = (typeof modelProtocols)[number];

// Text, so that no price is rounded; at most six places, as providers have.
const price = text({
  min: 1,
  max: 20,
  pattern: /^\d{1,9}(?:\.\d{1,6})?$/,
  wants: 'must be a price such as 2.50',
});

/** What a million tokens cost. */
const modelPrices = object({
  input: described(price, 'For a million tokens that the model reads.'),
  output: described(price, 'For a million tokens that it writes.'),
  currency: optional(
    text({ min: 3, max: 3, pattern: /^[A-Z]{3}$/, wants: 'must be a currency such as USD' }),
  ),
});

export type ModelPrices = Infer<typeof modelPrices>;

/** What an operator says about a language model that may be asked. */
export const modelFields = {
  name: described(
    text({ min: 1, max: 100, pattern: /\S/, wants: 'must not be blank' }),
    'What people call it; no two are called the same.',
  ),
  protocol: described(
    choice(...modelProtocols),
    'How it is asked: openai is chat completions, as most servers have them; anthropic is messages.',
  ),
  baseUrl: described(baseUrlText, 'Where it is asked, such as https://api.openai.com/v1.'),
  model: described(text({ min: 1, max: 200 }), 'What whoever serves it calls the model.'),
  prices: optional(described(modelPrices, 'What a million tokens cost; without it no costs are told.')),
  maxOutputTokens: optional(
    described(integer({ min: 1, max: 1_000_000 }), 'The longest answer that it is asked for.'),
  ),
};

/** A language model that operators let use their servers, to see how it fares. */
export const model = object({
  ...rowFields,
  ...modelFields,
  /** Its key: an AES-256-GCM envelope, bound to this row and to where it is sent; absent where none is needed. */
  sealed: optional(text({ min: 1, max: 100_000 })),
});

export type Model = Infer<typeof model>;

/** Names are compared without regard to case or surrounding space. */
export function modelNameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** What tokens cost at these prices, in units of their currency. */
export function costOf(
  prices: ModelPrices | undefined,
  tokens: { readonly input: number; readonly output: number },
): number | null {
  if (prices === undefined) return null;
  return (tokens.input * Number(prices.input) + tokens.output * Number(prices.output)) / 1_000_000;
}
