/** A key that appears twice in one object, and where the second one is. */
export interface RepeatedKey {
  readonly key: string;
  readonly line: number;
}

const most = 10;

/**
 * Keys that appear twice in an object of valid JSON, down to a certain depth: `JSON.parse` silently keeps the
 * last one.
 */
export function repeatedKeys(json: string, maxDepth: number): RepeatedKey[] {
  const found: RepeatedKey[] = [];
  // The keys so far of each open object; null for arrays and for objects that are nested too deeply.
  const open: (Set<string> | null)[] = [];
  for (let i = 0; i < json.length && found.length < most; i++) {
    switch (json.charCodeAt(i)) {
      case 0x7b:
        open.push(open.length < maxDepth ? new Set() : null);
        break;
      case 0x5b:
        open.push(null);
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        break;
      case 0x22: {
        const start = i;
        i = endOfText(json, start);
        const keys = open.at(-1);
        if (!keys || !isFollowedByColon(json, i)) break;
        const raw = json.slice(start, i + 1);
        const key = raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
        if (keys.has(key)) found.push({ key, line: json.slice(0, start).split('\n').length });
        keys.add(key);
      }
    }
  }
  return found;
}

function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === 0x5c) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}

function isFollowedByColon(json: string, end: number): boolean {
  let i = end + 1;
  while (json.charCodeAt(i) <= 0x20) i++;
  return json.charCodeAt(i) === 0x3a;
}
