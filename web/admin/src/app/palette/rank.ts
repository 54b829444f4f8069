/** How well a name matches the typed text: higher is better, 0 means no match. */
export function rank(name: string, typed: string): number {
  const text = name.toLowerCase();
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return 1;
  if (text === wanted) return 100;
  if (text.startsWith(wanted)) return 80;
  if (text.split(/[\s_./-]+/).some((word) => word.startsWith(wanted))) return 60;
  if (text.includes(wanted)) return 40;
  return wanted.split(/\s+/).every((word) => text.includes(word)) ? 20 : 0;
}
