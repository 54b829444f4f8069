import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a program that was just started listens on a port of 127.0.0.1; one that ends before that says why. */
export async function untilOpen(child, port) {
  let said = '';
  for (const output of [child.stdout, child.stderr]) output?.on('data', (chunk) => (said += chunk));
  let ended = '';
  child.once('error', (error) => (ended ||= error.message));
  child.once('exit', (code, signal) => (ended ||= `it ended with ${code ?? signal}`));
  while (!(await isOpen(port))) {
    if (ended !== '') throw new Error(`Nothing listens: ${ended}\n${said.slice(-2_000)}`);
    await sleep(50);
  }
}

function isOpen(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
