import { readdirSync, readFileSync } from 'node:fs';
import type { ServingProcess } from '../support/command.ts';
import { adminToken } from '../support/gateway.ts';

/** The processes that a gateway has started and that run. */
export function workersOf({ child }: ServingProcess): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // After the name in parentheses: the state, then the parent.
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(parent) === child.pid && state !== 'Z';
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Asks a gateway as an admin, by a connection of its own. */
export async function ask(
  url: string,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${adminToken}`,
      connection: 'close',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
