// Assigns time by where the code is; the first match counts.
const places = [
  ['waiting', (_url, name) => name === '(idle)'],
  ['collecting garbage', (_url, name) => name === '(garbage collector)'],
  // The profiler's own code, when it starts and stops.
  ['waiting', (url, name) => url === '' && name === 'dispatch'],
  ['writing to sockets', (url, name) => url === '' && /^(?:writev|write\w+String|writeBuffer)$/.test(name)],
  ['undici', (url) => url.includes('/undici/') || url.startsWith('wasm:')],
  ['its record', (url, name) => /\/(?:libsql|kysely)\//.test(url) || name.startsWith('libsql')],
  [
    'its record',
    (url) => /\/dist\/(?:calls\/(?:rec|make-rec|metrics|roll|stat)|storage\/|lib\/secrets\/)/.test(url),
  ],
  ['reading the request', (url) => /\/dist\/(?:lib\/json\/|http\/|mcp\/(?!fast|render))/.test(url)],
  ['who calls, and limits', (url) => /\/dist\/(?:access|budgets|registry|upstream\/policies)\//.test(url)],
  [
    'writing the result',
    (url) => /\/dist\/(?:mcp\/(?:fast|render)|replies|lib\/text|pipeline\/reply)\//.test(url),
  ],
  ['the steps of a call', (url) => /\/dist\/(?:pipeline|calls|upstream|credentials)\//.test(url)],
  ['the bare gateway’s own code', (url) => url.includes('floor-server.js')],
  ['the gateway’s other code', (url) => url.includes('/dist/')],
  ['node:http, streams and timers', (url) => url.startsWith('node:')],
];
const others = 'V8 and the system';

/** The time per part of a call, in µs by name, from a profile of so many calls. */
export function partsOfACall({ nodes, samples, timeDeltas }, calls) {
  const partOf = new Map(nodes.map(({ id, callFrame }) => [id, findPart(callFrame)]));
  const parts = new Map();
  for (const [index, id] of samples.entries()) {
    const part = partOf.get(id);
    parts.set(part, (parts.get(part) ?? 0) + timeDeltas[index] / calls);
  }
  parts.delete('waiting');
  return parts;
}

function findPart({ url, functionName }) {
  return places.find(([, fits]) => fits(url, functionName))?.[0] ?? others;
}
