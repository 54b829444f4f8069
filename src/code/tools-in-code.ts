import type { ServerView } from '../registry/snapshot.ts';
import { directoryOf } from './tool-directory.ts';

const gap = String.raw`\s{0,20}`;
const dotted = String.raw`${gap}(?:\?\.|\.)${gap}[A-Za-z_$][\w$]{0,100}`;
const quoted = String.raw`${gap}(?:\?\.)?\[${gap}(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|\x60[^\x60$\n]{1,200}\x60)${gap}\]`;
const uses = new RegExp(String.raw`\btools((?:${dotted}|${quoted}){1,2})`, 'g');
const steps = new RegExp(`${dotted}|${quoted}`, 'g');

/**
 * IDs of the tools that a script refers to: `tools.api.tool`, also with brackets and quotes. Other references, such as
 * through a variable, are not found.
 */
export function toolsInCode(view: ServerView, code: string): string[] {
  const directory = directoryOf(view);
  const ids = new Set<string>();
  for (const [, path = ''] of code.matchAll(uses)) {
    const [first, second] = [...path.matchAll(steps)].map(([step]) => nameIn(step));
    const listed =
      (second === undefined ? undefined : directory.find(first!, second)) ?? directory.find(null, first!);
    // Composed tools can't call each other.
    if (listed !== undefined && listed.compiled.script === null) ids.add(listed.compiled.tool.id);
  }
  return [...ids];
}

function nameIn(step: string): string {
  const plain = step.trim();
  const open = plain.indexOf('[');
  return open === -1
    ? plain.replace(/^\?/, '').slice(1).trim()
    : plain
        .slice(open + 1, -1)
        .trim()
        .slice(1, -1);
}
