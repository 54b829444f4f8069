import { inject } from 'vitest';

/** Makes an empty PostgreSQL database for one test file and returns its URL; fails, never skips, when there is no PostgreSQL. */
export async function createDatabase(): Promise<string> {
  const response = await fetch(inject('postgresDesk'), { method: 'POST' });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
