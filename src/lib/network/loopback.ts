/** Whether an address reaches nobody but this machine; accepts host names and addresses as they stand in a URL. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
