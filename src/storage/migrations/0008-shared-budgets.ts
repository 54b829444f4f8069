import { type Kysely, sql } from 'kysely';

/**
 * Makes room for limits that processes on several machines share. On SQLite all processes are on one machine, and their
 * parent keeps them in memory. Nothing in these tables outlives its minute, so that the database need not log them.
 */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  if (kind === 'sqlite') return;
  await sql`create unlogged table budgets (key text primary key, state text not null, until_ms bigint not null)`.execute(
    db,
  );
  await sql`create unlogged table budget_members (id text primary key, until_ms bigint not null)`.execute(db);
}
