/** The share of calls without an error, whether the agent, the API or the gateway failed: the number behind every "Success rate". */
export function successRate({ calls, errors }: { readonly calls: number; readonly errors: number }): number {
  return calls === 0 ? 0 : 1 - errors / calls;
}
