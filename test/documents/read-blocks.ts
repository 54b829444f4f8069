/** A fenced block of a Markdown page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line of its first fence, from 1. */
  readonly line: number;
}

/** The fenced blocks of a page, in order. */
export function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { language: string; line: number; lines: string[] } | null = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    if (open === null) {
      if (line.startsWith('```')) open = { language: line.slice(3).trim(), line: index + 1, lines: [] };
    } else if (line.startsWith('```')) {
      blocks.push({ language: open.language, line: open.line, text: open.lines.join('\n') });
      open = null;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== null) throw new Error(`The block that begins in line ${open.line} has no end.`);
  return blocks;
}
