/** The share of calls without an error, whoever caused it: the number behind every "Success rate". */
export function successRate({ calls, errors }: { readonly calls: number; readonly errors: number }): number {
  return calls === 0 ? 0 : 1 - errors / calls;
}
