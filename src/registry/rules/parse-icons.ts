import type { Problem } from '../../domain/errors.ts';
import { asParsed } from '../../domain/fields/addresses.ts';
import { refusal } from '../../domain/refusal.ts';
import type { Server } from '../../domain/server.ts';

type Icons = NonNullable<Server['icons']>;

/** A server's pictures with their addresses as a parser reads them; refuses what is no picture or holds a password. */
export function parseIcons(icons: Icons): Icons {
  const problems: Problem[] = [];
  const parsed = icons.map((icon, at) => {
    const fault = iconFault(icon);
    if (fault !== null) problems.push({ path: `/icons/${at}/src`, message: fault });
    // A picture in the address itself may be long, and is read when it is shown.
    return /^data:/i.test(icon.src) ? icon : { ...icon, src: asParsed(icon.src) };
  });
  if (problems.length > 0) throw refusal('The icons cannot be saved', problems);
  return parsed;
}

function iconFault({ src, mimeType }: Icons[number]): string | null {
  // Anything else is told when the server is checked as a whole.
  if (!URL.canParse(src)) return null;
  if (/^data:/i.test(src)) {
    const head = src
      .slice('data:'.length, Math.max(0, src.indexOf(',')))
      .split(';', 1)[0]!
      .trim();
    const type = head === '' ? (mimeType ?? '') : head;
    return /^image\//i.test(type) ? null : 'must be a picture, such as data:image/png;base64,…';
  }
  const { username, password } = new URL(src);
  return username === '' && password === '' ? null : 'must not hold a user name or password';
}
