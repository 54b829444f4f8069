/** The relative change; null if there is no earlier value to compare with. */
export function changeFrom(now: number, before: number): number | null {
  return before === 0 ? null : (now - before) / before;
}
