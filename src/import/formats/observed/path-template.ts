// Values that identify something: numbers, UUIDs, hashes, dates, ids such as `usr_9fK2…`.
const idPatterns: readonly (readonly [RegExp, string])[] = [
  [/^\d+$/, 'id'],
  [/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, 'id'],
  [/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/, 'date'],
  [/^[0-9a-f]{16,}$/i, 'id'],
  [/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, 'id'],
  [/^[A-Za-z]{2,8}_(?=\w*\d)[A-Za-z0-9]{8,}$/, 'id'],
  [/^(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z0-9_-]{20,}$/, 'id'],
  [/^eyJ[\w-]{8,}\.[\w-]+\.[\w-]*$/, 'token'],
];

/** Replaces ids and dates in a path with variables, named after the preceding segment. */
export function templateFor(path: string): { template: string; values: Record<string, { value: string }> } {
  const values: Record<string, { value: string }> = {};
  // Some servers carry the session in the path: `/cart;jsessionid=0AF3…`.
  const segments = path.replace(/;(?:jsessionid|phpsessid|sid|sessionid)=[^/;]*/gi, '').split('/');
  const out = segments.map((segment, i) => {
    const kind = idPatterns.find(([pattern]) => pattern.test(decode(segment)))?.[1];
    if (kind === undefined) return segment;
    const before = segments.slice(0, i).findLast((other) => other !== '' && /^[A-Za-z][\w-]*$/.test(other));
    const owner = before
      ? `${before
          .replace(/ies$/, 'y')
          .replace(/(?<=[^s])s$/, '')
          .replace(/\W+/g, '_')}_${kind}`
      : kind;
    let name = owner;
    for (let n = 2; Object.hasOwn(values, name); n++) name = `${owner}_${n}`;
    values[name] = { value: decode(segment) };
    return `{${name}}`;
  });
  return { template: out.join('/'), values };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
