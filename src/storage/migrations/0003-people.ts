import { type Kysely, sql } from 'kysely';

/** Admins become people, who are no longer part of the registry, and there are groups. */
export async function up(db: Kysely<unknown>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const { schema } = db;
  const wide = kind === 'postgres' ? 'bigint' : 'integer';
  await schema
    .createTable('people')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('revision', wide, (c) => c.notNull())
    .addColumn('updated_at_ms', wide, (c) => c.notNull())
    .addColumn('doc', 'text', (c) => c.notNull())
    .addColumn('identity', 'text', (c) => c.notNull().unique())
    .addColumn('name_key', 'text', (c) => c.unique())
    .addColumn('invitation_hash', 'text', (c) => c.unique())
    .addColumn('search_text', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('has_password', 'integer', (c) => c.notNull())
    .addColumn('signed_in_at_ms', wide)
    .execute();
  await schema
    .createTable('person_groups')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('revision', wide, (c) => c.notNull())
    .addColumn('updated_at_ms', wide, (c) => c.notNull())
    .addColumn('doc', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull().unique())
    .execute();
  for (const [table, column] of [
    ['identity_providers', 'slug'],
    ['api_tokens', 'hash'],
  ] as const)
    await schema
      .createTable(table)
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('revision', wide, (c) => c.notNull())
      .addColumn('updated_at_ms', wide, (c) => c.notNull())
      .addColumn('doc', 'text', (c) => c.notNull())
      .addColumn(column, 'text', (c) => c.notNull().unique())
      .execute();
  await schema
    .createTable('people_seq')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('seq', wide, (c) => c.notNull())
    .execute();
  await sql`insert into people_seq (id, seq) values (1, 1)`.execute(db);

  const { rows } = await sql<AdminRow>`select id, revision, updated_at_ms, doc, name_key from admins`.execute(
    db,
  );
  for (const row of rows) {
    const { doc, role, invitationHash, hasPassword } = personOf(row);
    await sql`insert into people (id, revision, updated_at_ms, doc, identity, name_key, invitation_hash, search_text, role, has_password)
      values (${row.id}, ${row.revision}, ${row.updated_at_ms}, ${doc}, ${`local:${row.id}`}, ${row.name_key}, ${invitationHash}, ${row.name_key}, ${role}, ${hasPassword})`.execute(
      db,
    );
  }
  await sql`delete from registry_changes where kind = 'admin'`.execute(db);
  await sql`drop table admins`.execute(db);

  await sql`alter table admin_sessions rename to person_sessions`.execute(db);
  await sql`alter table person_sessions rename column admin_id to person_id`.execute(db);
  await sql`drop index admin_sessions_admin`.execute(db);
  await schema.createIndex('person_sessions_person').on('person_sessions').column('person_id').execute();
}

interface AdminRow {
  readonly id: string;
  readonly revision: number;
  readonly updated_at_ms: number;
  readonly doc: string;
  readonly name_key: string;
}

/** A row that cannot be read stays as it is: it signs no one in, and still counts as an owner. */
function personOf({ id, doc }: AdminRow) {
  let admin: unknown;
  try {
    admin = JSON.parse(doc);
  } catch {
    admin = null;
  }
  if (typeof admin !== 'object' || admin === null || Array.isArray(admin))
    return { doc, role: 'owner', invitationHash: null, hasPassword: 1 };
  const fields: Readonly<Record<string, unknown>> = { ...admin };
  const { role, invitation, passwordHash } = fields;
  const invitationHash =
    typeof invitation === 'object' && invitation !== null && 'hash' in invitation ? invitation.hash : null;
  return {
    doc: JSON.stringify({ issuer: 'local', identity: `local:${id}`, version: 1, ...fields }),
    role: typeof role === 'string' ? role : 'owner',
    invitationHash: typeof invitationHash === 'string' ? invitationHash : null,
    hasPassword: passwordHash === undefined ? 0 : 1,
  };
}
