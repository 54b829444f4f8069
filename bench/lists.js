import { load, sendOne } from './load.js';
import { cpuSeconds, pinTo, residentMb } from './processes.js';
import { head, median, row, whole } from './statistics.js';
import { listers } from './variants.js';

const gatewayCore = pinTo(0);
const otherCore = pinTo(1);

/** `tools/list` and `tools/call` with few and many tools, in interleaved rounds. */
export async function benchLists(names, sizes, upstream, { rounds, seconds }) {
  console.log('\n### tools/list, and tools/call with as many tools\n');
  console.log(
    head([
      'tools',
      'variant',
      'answer',
      'lists/s at 16',
      'CPU per list',
      'calls/s at 16',
      'CPU per call',
      'memory idle → loaded',
      'start of the process',
      'wrong or failed',
    ]),
  );
  for (const size of sizes) await benchSize(names, size, upstream, rounds, seconds);
}

async function benchSize(names, size, upstream, rounds, seconds) {
  const started = new Map();
  try {
    for (const name of names.filter((one) => one in listers)) {
      try {
        const variant = await listers[name](upstream.url, gatewayCore, size);
        started.set(name, { ...variant, list: listOf(variant.target), rows: [] });
      } catch (error) {
        console.log(row([whole(size), name, `does not start: ${error.message.slice(0, 120)}`]));
      }
    }
    for (const [name, variant] of started) {
      variant.idleMb = residentMb(variant.pid);
      const { text } = await sendOne(variant.list);
      variant.answerKb = Math.round(text.length / 1024);
      const listed = text.match(/"inputSchema":/g)?.length ?? 0;
      if (listed !== size) {
        console.log(row([whole(size), name, `lists ${listed} tools`]));
        await variant.stop();
        started.delete(name);
        continue;
      }
      await load(variant.list, { connections: 16, seconds: 1, pin: otherCore });
      await load(variant.target, { connections: 16, seconds: 1, pin: otherCore });
    }
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? [...started.values()] : [...started.values()].toReversed();
      for (const variant of order) {
        const lists = await timed(variant.pid, variant.list, seconds);
        const calls = await timed(variant.pid, variant.target, seconds);
        variant.rows.push({ lists, calls, bad: lists.bad + calls.bad });
      }
    }
    for (const [name, { pid, rows, answerKb, idleMb, restart }] of started) {
      const loadedMb = residentMb(pid);
      const of = (pick) => median(rows.map(pick));
      // The others read their document at each start; a gateway that has just imported it uses more memory than
      // one that restarts.
      const again = await restart?.();
      console.log(
        row([
          whole(size),
          name,
          `${whole(answerKb)} KB`,
          whole(of((one) => one.lists.perSecond)),
          `${of((one) => one.lists.cpuMs).toFixed(2)} ms`,
          whole(of((one) => one.calls.perSecond)),
          `${whole(of((one) => one.calls.cpuMs) * 1000)} µs`,
          `${again?.idleMb ?? idleMb} → ${loadedMb} MB`,
          again === undefined ? '–' : `${whole(again.startMs)} ms`,
          rows.reduce((sum, one) => sum + one.bad, 0),
        ]),
      );
    }
  } finally {
    for (const variant of started.values()) await variant.stop();
  }
}

async function timed(pid, target, seconds) {
  const began = cpuSeconds(pid);
  const { requests, perSecond, errors, wrong } = await load(target, {
    connections: 16,
    seconds,
    pin: otherCore,
  });
  return { perSecond, cpuMs: ((cpuSeconds(pid) - began) / requests) * 1000, bad: errors + wrong };
}

/**
 * The request for the list, in the revision and session of a variant's call. A list is correct if it contains
 * the called tool.
 */
function listOf(target) {
  const { params } = JSON.parse(target.body);
  const { 'mcp-name': _, ...headers } = target.headers;
  return {
    url: target.url,
    headers: { ...headers, ...(headers['mcp-method'] && { 'mcp-method': 'tools/list' }) },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/list',
      ...(params._meta && { params: { _meta: params._meta } }),
    }),
    check: `"${params.name}"`,
  };
}
