import { Agent, request } from 'node:http';
import type { UnderAttack } from './under-attack.ts';

/** How long an ordinary client waited while others attacked. */
export interface Waits {
  readonly calls: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly slowestMs: number;
}

/** Calls a tool every ten milliseconds, over a connection of its own; returns how to stop and what it saw. */
export function startCanary(at: UnderAttack): () => Promise<Waits> {
  const agent = new Agent({ keepAlive: true });
  const waits: number[] = [];
  const running = new Set<Promise<void>>();
  let failed = 0;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'canary', arguments: {} },
  });
  const call = () =>
    new Promise<void>((resolve) => {
      const began = performance.now();
      const asked = request(
        {
          port: at.port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/mcp/tools/call',
          agent,
          headers: {
            host: 'localhost',
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (answer) => {
          let text = '';
          answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
          answer.on('end', () => {
            waits.push(performance.now() - began);
            if (!text.includes('"result"')) failed++;
            resolve();
          });
        },
      );
      asked.on('error', () => {
        failed++;
        resolve();
      });
      asked.end(body);
    });
  const timer = setInterval(() => {
    const one = call().finally(() => running.delete(one));
    running.add(one);
  }, 10);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
    agent.destroy();
    const sorted = waits.toSorted((a, b) => a - b);
    const percentile = (share: number) =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
    return {
      calls: waits.length,
      failed,
      p50Ms: percentile(0.5),
      p99Ms: percentile(0.99),
      slowestMs: percentile(1),
    };
  };
}
