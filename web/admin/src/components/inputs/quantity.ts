/** Units from small to large, each with its size in the smallest unit. */
export type Units = readonly (readonly [name: string, size: number])[];

export const times: Units = [
  ['ms', 1],
  ['s', 1_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
];

export const sizes: Units = [
  ['B', 1],
  ['KiB', 1_024],
  ['MiB', 1_048_576],
  ['GiB', 1_073_741_824],
];

/** The largest unit in which an amount is a whole number. */
export function unitFor(amount: number, units: Units): string {
  const whole = units.findLast(([, size]) => amount >= size && amount % size === 0);
  return (whole ?? units[0]!)[0];
}

/** The size of a unit in the smallest unit. */
export const sizeOf = (unit: string, units: Units): number => units.find(([name]) => name === unit)?.[1] ?? 1;

/** An amount in the unit that suits it, such as `5 MiB`. */
export function inWords(amount: number, units: Units, write: (value: number) => string): string {
  const unit = unitFor(amount, units);
  return `${write(amount / sizeOf(unit, units))} ${unit}`;
}
