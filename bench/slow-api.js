import { benchCalls } from './calls.js';
import { pinTo } from './processes.js';
import { startSlowUpstream } from './upstream.js';

const waitMs = 50;

/** `tools/call` with many connections to an API that takes 50 ms: what waiting costs. */
export async function benchSlowApi(connections, options) {
  const upstream = await startSlowUpstream(pinTo(1), waitMs);
  try {
    const title = `tools/call by ${connections} connections to an API that takes ${waitMs} ms`;
    await benchCalls(['floor that gathers', 'handrail, 1,000 at once'], upstream, {
      ...options,
      connections,
      title,
    });
  } finally {
    await upstream.stop();
  }
}
