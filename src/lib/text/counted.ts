/** A number with its noun: "1 call", "2 calls"; `many` where the plural is more than an s. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
