/** How much more or less than before, as a share; null when there was nothing before to compare with. */
export function changeFrom(now: number, before: number): number | null {
  return before === 0 ? null : (now - before) / before;
}
