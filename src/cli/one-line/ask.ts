import { createInterface } from 'node:readline/promises';

/** Whether there is someone to ask. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

/** Asks a question that has yes and no as answers; no is the default. */
export async function askYesNo(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^\s*y(?:es)?\s*$/i.test(await lines.question(`${question} [y/N] `));
  } finally {
    lines.close();
  }
}

const endings = new Set(['\r', '\n', '\u0004']);
const interrupt = '\u0003';
const erasures = new Set(['\u0008', '\u007f']);

/** Asks for a secret, which isn't shown as it is typed; empty if nothing was. */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stdout } = process;
  stdout.write(`${question} `);
  stdin.setRawMode(true);
  stdin.resume();
  stdin.setEncoding('utf8');
  try {
    return await new Promise<string>((resolve) => {
      let typed = '';
      const take = (chunk: string): void => {
        for (const letter of chunk) {
          if (letter === interrupt) process.emit('SIGINT', 'SIGINT');
          if (letter === interrupt || endings.has(letter)) {
            stdin.off('data', take);
            resolve(letter === interrupt ? '' : typed.trim());
            return;
          }
          if (erasures.has(letter)) typed = typed.slice(0, -1);
          else typed += letter;
        }
      };
      stdin.on('data', take);
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write('\n');
  }
}
