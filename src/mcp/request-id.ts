/** What a JSON-RPC request is answered under. */
export type RequestId = string | number;

/** Whether a request may be answered under this. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
