/** A request as it would be sent. */
export interface SentRequest {
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

/** The request as TypeScript. JSON's escapes mean the same there. */
export function typescriptOf({ method, url, headers, body }: SentRequest): string {
  const parts = [
    `  method: ${JSON.stringify(method)},`,
    ...(Object.keys(headers).length === 0 ? [] : [`  headers: ${indented(headers)},`]),
    ...(body === null ? [] : [`  body: ${JSON.stringify(body)},`]),
  ];
  return `const response = await fetch(${JSON.stringify(url)}, {\n${parts.join('\n')}\n});\nconsole.log(response.status, await response.text());`;
}

/** The request as Python with the requests package. */
export function pythonOf({ method, url, headers, body }: SentRequest): string {
  const parts = [
    `    ${JSON.stringify(method)},`,
    `    ${JSON.stringify(url)},`,
    ...(Object.keys(headers).length === 0 ? [] : [`    headers=${indented(headers, '    ')},`]),
    ...(body === null ? [] : [`    data=${JSON.stringify(body)}.encode(),`]),
  ];
  return `import requests\n\nresponse = requests.request(\n${parts.join('\n')}\n)\nprint(response.status_code, response.text)`;
}

const indented = (headers: SentRequest['headers'], margin = '  '): string =>
  JSON.stringify(headers, null, 2).replaceAll('\n', `\n${margin}`);

/** The request as it goes over the wire: a line, the headers, and the body after an empty line. */
export function httpOf({ method, url, headers, body }: SentRequest): string {
  return [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', body]),
  ].join('\n');
}

/** Reads what `httpOf` wrote; null for anything else, such as a request that was cut when it was recorded. */
export function readHttp(text: string): SentRequest | null {
  const end = text.indexOf('\n\n');
  const [first = '', ...lines] = (end === -1 ? text : text.slice(0, end)).split('\n');
  const [, method, url] = /^([A-Z]+) (\S+)$/.exec(first) ?? [];
  const headers = lines.map((line) => /^([^:\s]+): (.*)$/.exec(line));
  if (method === undefined || url === undefined || headers.includes(null)) return null;
  return {
    method,
    url,
    headers: Object.fromEntries(headers.map((header) => [header![1]!, header![2]!])),
    body: end === -1 ? null : text.slice(end + 2),
  };
}
