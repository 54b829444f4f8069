import { benchCalls } from './calls.js';
import { pinTo } from './processes.js';
import { longReplyText, startUpstream } from './upstream.js';

/** `tools/call` with long replies that are shown in full, compared with the floor. */
export async function benchLongReplies(sizes, options) {
  for (const bytes of sizes) {
    const text = longReplyText(bytes);
    const upstream = await startUpstream(pinTo(1), text);
    try {
      const title = `tools/call with a reply of ${Math.round(text.length / 1_000)} kB, no budget`;
      await benchCalls(['floor that gathers', 'nginx, plain proxy', 'handrail, no budget'], upstream, {
        ...options,
        title,
      });
    } finally {
      await upstream.stop();
    }
  }
}
