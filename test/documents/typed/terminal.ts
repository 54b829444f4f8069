import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A shell that things are typed into, one block after the other. */
export interface Terminal {
  /** Types a block and resolves with all it printed once it is done; rejects when a command of it fails. */
  type(block: string): Promise<string>;
  /** Types a command that goes on running, and resolves once it says that it listens. */
  serve(command: string): Promise<void>;
  /** The folder it is in. */
  folder(): Promise<string>;
  close(): Promise<void>;
}

/** Opens a terminal in a folder. */
export function openTerminal(folder: string, env: Readonly<Record<string, string>>): Terminal {
  // A group of its own, so that all that was started in it ends with it.
  const shell: ChildProcess = spawn('bash', ['--noprofile', '--norc', '-euo', 'pipefail'], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const closed = once(shell, 'close');
  const blocks = mkdtempSync(join(env['HOME'] ?? tmpdir(), '.typed-'));
  let typed = 0;
  let output = '';
  let isOver = false;
  const listeners = new Set<() => void>();
  const heard = () => {
    for (const listener of listeners) listener();
  };
  for (const stream of [shell.stdout!, shell.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      heard();
    });
  shell.once('close', () => {
    isOver = true;
    heard();
  });
  // Writing to a shell that has ended is told by its end.
  shell.stdin!.on('error', () => undefined);

  /** Resolves with what was printed up to a sign, and what the sign was. */
  function until(sign: RegExp, from: number, command: string): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = sign.exec(output.slice(from));
        if (found === null && !isOver) return;
        listeners.delete(look);
        if (found !== null) resolve(found);
        else reject(new Error(`It failed:\n${command}\n\nwith:\n${output.slice(from)}`));
      };
      listeners.add(look);
      look();
    });
  }

  async function type(block: string): Promise<string> {
    const from = output.length;
    // From a file, so that no command reads what is typed after it.
    const file = join(blocks, `${typed++}.sh`);
    writeFileSync(file, `${block}\n`);
    shell.stdin!.write(`. '${file}' </dev/null\nprintf '==typed== %s\\n' "$PWD"\n`);
    const { index } = await until(/==typed== /, from, block);
    return output.slice(from, from + index);
  }

  return {
    type,
    async serve(command) {
      const from = output.length;
      shell.stdin!.write(`${command} </dev/null\n`);
      await until(/ (?:listening|answers?) at http/, from, command);
    },
    async folder() {
      const from = output.length;
      await type(':');
      const [, path] = await until(/==typed== (.*)\n/, from, ':');
      return path!;
    },
    async close() {
      if (!isOver) {
        shell.stdin!.end();
        try {
          process.kill(-shell.pid!, 'SIGTERM');
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
        }
      }
      await closed;
    },
  };
}
