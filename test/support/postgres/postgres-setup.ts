import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import type { Cluster } from './postgres-cluster.ts';
import { startCluster } from './postgres-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test file asks for a PostgreSQL database of its own. */
    readonly postgresDesk: string;
  }
}

/**
 * Runs once before all test files. PostgreSQL itself starts only when the first test asks for a database, so that
 * runs without such tests do not wait for it, and stops after the last one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let cluster: Promise<Cluster> | undefined;
  const databases: string[] = [];
  const create = async (): Promise<string> => {
    cluster ??= process.env['TEST_DATABASE_URL']
      ? Promise.resolve({ url: process.env['TEST_DATABASE_URL'], stop: async () => dropAll(databases) })
      : startCluster();
    const { url } = await cluster;
    const name = `handrail_test_${process.pid}_${databases.length}`;
    databases.push(name);
    await administer(url, `create database ${name}`);
    const own = new URL(url);
    own.pathname = `/${name}`;
    return own.href;
  };
  const desk = createServer((_request, response) => {
    // A connection that idles between two tests could end just when the next one asks.
    response.setHeader('connection', 'close');
    create().then(
      (url) => response.end(url),
      (thrown: unknown) => {
        const cause =
          thrown instanceof Error && thrown.cause instanceof Error ? `\n${thrown.cause.message}` : '';
        response.writeHead(500).end(`${thrown instanceof Error ? thrown.message : String(thrown)}${cause}`);
      },
    );
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  project.provide('postgresDesk', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`);
  return async () => {
    desk.close();
    desk.closeAllConnections();
    await (await cluster?.catch(() => undefined))?.stop();
  };
}

async function dropAll(names: readonly string[]): Promise<void> {
  for (const name of names) {
    await administer(process.env['TEST_DATABASE_URL']!, `drop database if exists ${name} with (force)`);
  }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
