// How much less each further place counts; the constant of the method's authors (Cormack, Clarke and Büttcher, 2009).
const softening = 60;

/** One order out of several, by reciprocal ranks: what stands high in any of them stands high. Equal ones keep the order of the first. */
export function fuseRanks(orders: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const order of orders)
    order.forEach((key, rank) => scores.set(key, (scores.get(key) ?? 0) + 1 / (softening + rank + 1)));
  return [...scores].sort(([, one], [, other]) => other - one).map(([key]) => key);
}
