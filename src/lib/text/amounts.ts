/** A number with its noun: "1 call", "2 calls"; `many` for an irregular plural. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A number of bytes in readable form. */
export function sizeText(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  return bytes < 10_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${Math.round(bytes / 1_000_000)} MB`;
}
