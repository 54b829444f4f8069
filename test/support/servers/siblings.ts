import type { Siblings } from '../../../src/lib/siblings.ts';

/** So many processes of one gateway, as far as what they tell and ask each other goes: in this one, as text and later. */
export function connectedSiblings(count: number): Siblings[] {
  const hearers = Array.from({ length: count }, () => new Map<string, (body: unknown) => unknown>());
  const sent = (body: unknown): unknown => JSON.parse(JSON.stringify(body ?? null));
  return hearers.map((own) => {
    const others = hearers.filter((one) => one !== own);
    return {
      tell(kind, body) {
        const text = sent(body);
        setImmediate(() => others.forEach((other) => other.get(kind)?.(text)));
      },
      async ask(kind, body) {
        const text = sent(body);
        await new Promise(setImmediate);
        const replies = await Promise.all(others.map((other) => other.get(kind)?.(text)));
        // What is told meanwhile may well arrive before the answers do.
        await new Promise((resolve) => setTimeout(resolve, 5));
        return replies.map(sent);
      },
      on: (kind, hear) => void own.set(kind, hear),
    };
  });
}
