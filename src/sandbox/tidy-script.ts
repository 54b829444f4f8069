const fence = /^\s{0,20}```[\w-]{0,20}[ \t]{0,20}\r?\n/;
const blanks = /^\s*/;
const anonymous =
  /^(?:async\s{1,5})?function\s{0,5}\*?\s{0,5}\(|^(?:async\s{0,5})?(?:\([^()]{0,200}\)|[A-Za-z_$][\w$]{0,60})\s{0,5}=>/;
const named = /^(?:async\s{1,5})?function\s{1,5}([A-Za-z_$][\w$]{0,60})\s{0,5}\(/;
const invoked = /^\(\s{0,5}(?:async\s{0,5})?(?:function\b|\()/;
const invocation = /\}\s{0,20}\)\s{0,5}\(\s{0,5}\)$|\}\s{0,5}\(\s{0,5}\)\s{0,5}\)$/;
const lastCall = /(?:^|[\s;}])(await\s{1,5})?([A-Za-z_$][\w$]{0,60})\(\s{0,5}\)$/;
const exported = /^export\s{1,5}(?=(?:async\s{1,5})?function\b|const\b|let\b|class\b)/gm;
const exportDefault = /^export\s{1,5}default\s{1,5}/m;
const tailLength = 200;

/**
 * A script as the body of an async function, whatever form a model wrote it in: a Markdown code block, a function
 * (`async () => { … }`), a module (`export default …`), or a `main` that is called at the end. Lines stay where they were.
 */
export function tidyScript(source: string): string {
  return withMain(withoutModule(withoutFence(source)));
}

function withoutFence(source: string): string {
  const open = fence.exec(source);
  if (open === null) return source;
  const trimmed = source.trimEnd();
  const inner = trimmed.endsWith('```') ? trimmed.slice(open[0].length, -3) : trimmed.slice(open[0].length);
  // The line of the fence stays, empty.
  return `${'\n'.repeat(open[0].split('\n').length - 1)}${inner}`;
}

/** The code in a script that is text around a Markdown code block; null if it has none. Lines stay where they were. */
export function scriptInFence(source: string): string | null {
  const lines = source.split('\n');
  const open = lines.findIndex((line) => line.trimStart().startsWith('```'));
  const close = lines.findIndex((line, n) => n > open && line.trim() === '```');
  if (open === -1 || close === -1) return null;
  return tidyScript(
    lines
      .slice(0, close)
      .fill('', 0, open + 1)
      .join('\n'),
  );
}

function withoutModule(source: string): string {
  if (!source.includes('export')) return source;
  const plain = source.replace(exported, '');
  const found = exportDefault.exec(plain);
  if (found === null) return plain;
  const before = plain.slice(0, found.index);
  const value = plain.slice(found.index + found[0].length);
  return anonymous.test(value) || named.test(value)
    ? `${before}return await (${withoutEnd(value)}\n)()`
    : `${before}return ${value}`;
}

function withMain(source: string): string {
  const start = blanks.exec(source)![0].length;
  const code = source.slice(start);
  const space = source.slice(0, start);
  const end = withoutEnd(code);
  if (anonymous.test(code) && end.endsWith('}')) return `${space}return await (${end}\n)()`;
  if (invoked.test(code) && invocation.test(end.slice(-tailLength))) return `${space}return await ${end}`;
  const name = named.exec(code)?.[1];
  if (name !== undefined && !code.includes(`${name}(`, code.indexOf(name) + name.length + 1))
    return `${source}\nreturn await ${name}()`;
  return withLastCall(source);
}

/** `main()` at the end of a script that declares it: what it returns is the result. */
function withLastCall(source: string): string {
  const end = withoutEnd(source);
  const tail = end.slice(-tailLength);
  const found = lastCall.exec(tail);
  if (found === null) return source;
  const [, awaited = '', name = ''] = found;
  if (!source.includes(`function ${name}(`) && !source.includes(`const ${name} =`)) return source;
  const start = end.lastIndexOf(name);
  const before = end.slice(0, start - awaited.length);
  if (/\breturn\s{1,5}$/.test(before.slice(-20))) return source;
  return `${before}return await ${end.slice(start)}`;
}

function withoutEnd(source: string): string {
  let end = source.length;
  while (end > 0 && /[\s;]/.test(source[end - 1]!)) end--;
  return source.slice(0, end);
}
