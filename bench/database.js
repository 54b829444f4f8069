import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Creates a database on a PostgreSQL server; returns its URL and a function that drops it. */
export async function createDatabase(serverUrl) {
  const name = `handrail_bench_${randomBytes(6).toString('hex')}`;
  await run(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(serverUrl, `drop database ${name} with (force)`) };
}

async function run(serverUrl, statement) {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
