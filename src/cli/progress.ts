const silentMs = 1_000;

/** Waits for work and, at a terminal, tells on stderr for how long; the line is gone when the work is done. */
export async function whileTelling<T>(work: Promise<T>): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY) return work;
  let seconds = 0;
  const timer = setInterval(() => {
    seconds++;
    stderr.write(`\r… ${seconds} s`);
  }, silentMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    // Back to the beginning of the line, and away with it.
    if (seconds > 0) stderr.write('\r\u001b[K');
  }
}
