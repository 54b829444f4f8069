/** Every registry table begins with these; `doc` is the whole entity as JSON text and the other columns are copies to look up by. */
interface EntityColumns {
  id: string;
  revision: number;
  updated_at_ms: number;
  doc: string;
}

export interface CallRecordRow {
  id: string;
  tool_id: string | null;
  tool_name: string;
  api_slug: string | null;
  server_slug: string;
  surface: string;
  caller_id: string;
  caller_label: string;
  client_name: string | null;
  client_version: string | null;
  started_at_ms: number;
  duration_ms: number;
  upstream_ms: number | null;
  upstream_status: number | null;
  outcome: string;
  message: string | null;
  tries: number;
  /** 0 or 1: SQLite has no boolean. */
  cached: number;
  request_bytes: number;
  reply_bytes: number;
  arguments_text: string | null;
  reply_text: string | null;
  request_line: string | null;
  output_tokens: number;
  steps_text: string | null;
  /** Which of these columns the record could have, see call-layout.ts. */
  layout: number;
  parent_id: string | null;
  read_tokens: number | null;
  read_text: string | null;
  reply_outline: string | null;
}

/** Sums over a stretch of time; `h0` and on are the counts of a histogram's buckets. */
export type CallRollupRow = {
  dimension: string;
  width: string;
  start_ms: number;
  name: string;
  label: string;
  calls: number;
  errors: number;
  request_bytes: number;
  reply_bytes: number;
  output_tokens: number;
  duration_ms: number;
  saved_tokens: number;
} & Record<`h${number}`, number>;

/** The tables of the store, the same on both databases but for call records: SQLite keeps them in segments. */
export interface Tables {
  schema_migrations: { name: string; applied_at_ms: number };
  /** Migrations that earlier versions can live with; those do not look here. */
  schema_additions: { name: string; applied_at_ms: number };
  apis: EntityColumns & { slug: string };
  tools: EntityColumns & { api_id: string; name: string };
  servers: EntityColumns & { slug: string };
  composed_tools: EntityColumns & { server_id: string; name: string };
  credentials: EntityColumns & { api_id: string; caller_id: string | null };
  access_keys: EntityColumns & { hash: string };
  people: EntityColumns & {
    identity: string;
    name_key: string | null;
    invitation_hash: string | null;
    search_text: string;
    role: string;
    /** 0 or 1. */
    has_password: number;
    signed_in_at_ms: number | null;
  };
  identity_providers: EntityColumns & { slug: string };
  api_tokens: EntityColumns & { hash: string };
  person_groups: EntityColumns & { name_key: string };
  /** One row; raised by every change of people or groups. */
  people_seq: { id: number; seq: number };
  settings: EntityColumns;
  models: EntityColumns & { name_key: string };
  checks: EntityColumns & { server_id: string };
  /** What became of checks; `doc` is the whole run as JSON text. */
  check_runs: { id: string; server_id: string; started_at_ms: number; doc: string };
  given_names: { server_id: string; tool_id: string; name: string };
  /** One row. `pruned_seq` is the newest sequence number whose changes left the feed, `position` the feed's last position. */
  registry_seq: { id: number; seq: number; pruned_seq: number; position: number };
  registry_changes: { position: number; seq: number; kind: string; id: string; second_id: string };
  /** On PostgreSQL, a partition for each day. */
  call_records: CallRecordRow;
  /** On PostgreSQL, those that were there before there were partitions; dropped when the last one has moved. */
  call_records_unpartitioned: CallRecordRow;
  /** On PostgreSQL, a view of both. */
  all_call_records: CallRecordRow;
  /** On SQLite. `terms` lists what is in a segment, `tier` is its size class: 2 is not merged any further. */
  call_segments: {
    seq: number;
    min_id: string;
    max_id: string;
    first_ms: number;
    last_ms: number;
    records: number;
    failures: number;
    /** Bytes of its texts. */
    size: number;
    tier: number;
    terms: string;
    /** The oldest layout that holds its records, see call-layout.ts. */
    layout: number;
  };
  /** On SQLite: sums over segments, derived from them; see segment-groups.ts. */
  call_segment_groups: {
    to_ms: number;
    first_ms: number;
    records: number;
    failures: number;
    layout: number;
    stale: number;
    terms: string | null;
  };
  /** `more` holds what came after layout 1, as JSON. */
  call_segment_bodies: {
    seq: number;
    shared: string;
    numbers: ArrayBuffer;
    texts: string;
    more: string | null;
  };
  call_rollups: CallRollupRow;
  /** Replies that are kept for a while. `bytes` is the size of its parts, `head` describes it and is sealed like them. */
  kept_replies: {
    id: string;
    caller_id: string;
    created_at_ms: number;
    expires_at_ms: number;
    bytes: number;
    head: Uint8Array | ArrayBuffer;
  };
  kept_reply_parts: { id: string; part: number; content: Uint8Array | ArrayBuffer };
  /** Runs of scripts that change something. `head` is what their record says of them. */
  script_runs: {
    id: string;
    head: string;
    process: string;
    started_at_ms: number;
    ended_at_ms: number | null;
  };
  /** Calls of scripts that change something; without a state while nothing is known. */
  script_effects: {
    call_id: string;
    run_id: string;
    tool: string;
    began_at_ms: number;
    state: string | null;
  };
  /**
   * What the built-in authorization server keeps: clients, codes, tokens, consents. `id` is a hash, because the names of
   * some are secrets; `lookup` is a second name.
   */
  grant_entries: {
    id: string;
    kind: string;
    grant_id: string | null;
    lookup: string | null;
    person_id: string | null;
    created_at_ms: number;
    expires_at_ms: number;
    consumed_at_ms: number | null;
    used_at_ms: number | null;
    doc: string;
  };
  /** People's own accounts at APIs. */
  accounts: EntityColumns & { person_id: string; api_id: string };
  /** Imports that run on their own; what they read and what they found is sealed, in parts. */
  import_jobs: EntityColumns;
  import_job_parts: { id: string; name: string; part: number; content: Uint8Array | ArrayBuffer };
  meta: { name: string; value: string };
  /** On PostgreSQL: what is known about each limit, as JSON, and until when it matters. */
  budgets: { key: string; state: string; until_ms: number };
  /** On PostgreSQL: the processes that share the limits. */
  budget_members: { id: string; until_ms: number };
  /** `lookup` is a hash; only something newer than `mark` is accepted. */
  person_factors: {
    id: string;
    person_id: string;
    kind: string;
    lookup: string | null;
    mark: number;
    used_at_ms: number | null;
    doc: string;
  };
  person_sessions: {
    hash: string;
    person_id: string;
    created_at_ms: number;
    last_seen_at_ms: number;
    expires_at_ms: number;
    address: string;
    user_agent: string;
  };
  audit_log: {
    id: string;
    at_ms: number;
    actor_id: string;
    actor_label: string;
    address: string | null;
    action: string;
    subject_kind: string;
    subject_id: string | null;
    subject_label: string | null;
    before_text: string | null;
    after_text: string | null;
    /** Its place in the chain; null for a line from before the log was one. */
    seq: number | null;
    hash: string | null;
  };
  /** One row, once there is a line: the newest line of the chain, and the newest that retention removed. */
  audit_chain: { id: number; seq: number; hash: string; removed_seq: number; removed_hash: string };
}
