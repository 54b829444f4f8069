import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A node process that a test started. */
export interface Child {
  /** What it prints, line by line. */
  readonly lines: AsyncIterable<string>;
  /** Ends it as `kill -9` does. */
  kill(): void;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly errors: string;
  }>;
}

/** Runs a program with this node. */
export function startChild(program: string, parameters: readonly string[]): Child {
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return {
    lines: createInterface({ input: child.stdout }),
    kill: () => void child.kill('SIGKILL'),
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        child.stdout.destroy();
        resolve({ code, signal, errors });
      });
    }),
  };
}
