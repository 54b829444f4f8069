/** A request as it would be sent. */
interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The request as a shell command. Every value is quoted, so nothing in it can run. */
export function curlOf({ method, url, headers, body }: SentRequest): string {
  return [
    `curl -X ${/^[A-Z]+$/.test(method) ? method : quote(method)} ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quote(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`  --data-raw ${quote(body)}`]),
  ].join(' \\\n');
}
