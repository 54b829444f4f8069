import type { TextKey } from '../../../web/admin/src/i18n/en.ts';
import type { EntityKind } from '../../../src/domain/stored/read-stored.ts';
import type { Tables } from '../../../src/storage/schema.ts';

/** A column that a noun can do without, and why. */
interface NotNeeded {
  readonly notNeeded: string;
}

/** A place in the tree: a file, and an export or a text in it. */
type InFile = readonly [file: string, text: string];

/** Everything a noun needs before it counts as finished. */
export interface NounRow {
  /** Where it is stored. */
  readonly tables: readonly (keyof Tables)[];
  /** Its schema, and what reads a stored row of it. */
  readonly schema: InFile;
  readonly parser: InFile;
  /** What must hold across nouns before a change of it is stored. */
  readonly rule: InFile | NotNeeded;
  /** Ids of the admin API's routes. */
  readonly contract:
    | { readonly list: string; readonly show: string; readonly change: readonly string[] }
    | NotNeeded;
  /** Actions in the audit log. */
  readonly audit: readonly string[] | NotNeeded;
  /** Its command and actions; every command takes `--json`. */
  readonly cli:
    | {
        readonly command: string;
        readonly list: string;
        readonly show: string;
        readonly change: readonly string[];
      }
    | NotNeeded;
  readonly page: { readonly name: string; readonly empty: TextKey } | NotNeeded;
  /** The list of an export that contains it, or why an export leaves it out. */
  readonly transfer: { readonly exported: string } | NotNeeded;
  readonly configFiles: NotNeeded;
  /** What deletes it when it is old. */
  readonly retention: InFile | NotNeeded;
  /** What an operator sees when it fails. */
  readonly failure: { readonly metric?: string; readonly doctor?: InFile } | NotNeeded;
  /** Where stored rows or requests of it are tried with everything wrong. */
  readonly hostile: InFile;
  readonly docs: readonly [file: string, heading: string];
}

/** Nouns that are stored but aren't part of the registry. */
type OtherNoun =
  | 'person'
  | 'group'
  | 'check-run'
  | 'import-job'
  | 'connected-app'
  | 'account'
  | 'session'
  | 'second-factor'
  | 'personal-key'
  | 'call-record'
  | 'audit-entry'
  | 'kept-reply';

const later: NotNeeded = { notNeeded: 'configuration in Git is not built yet' };
const registryParser: InFile = ['src/domain/stored/read-stored.ts', 'readStored'];
const deletedByHand: NotNeeded = { notNeeded: 'it stays until someone deletes it' };
const hostileRows: InFile = ['test/e2e/stored/hostile-rows.slow.test.ts', 'storedNouns'];
const notConfiguration: NotNeeded = { notNeeded: 'it is a record of what happened, not configuration' };

/** Every noun that Handrail stores. The compiler asks for a row for each kind of the registry, a test for each table. */
export const nounTable: Readonly<Record<EntityKind | OtherNoun, NounRow>> = {
  api: {
    tables: ['apis'],
    schema: ['src/domain/api.ts', 'api'],
    parser: registryParser,
    rule: ['src/registry/rules/apis.ts', 'createApi'],
    contract: { list: 'listApis', show: 'getApi', change: ['createApi', 'updateApi', 'deleteApi'] },
    audit: ['api.create', 'api.update', 'api.delete', 'api.import'],
    cli: { command: 'apis', list: 'list', show: 'show', change: ['create', 'update', 'delete'] },
    page: { name: 'apis', empty: 'apis.empty' },
    transfer: { exported: 'apis' },
    configFiles: later,
    retention: deletedByHand,
    failure: { metric: 'handrail_api_up', doctor: ['src/cli/doctor/check-apis.ts', 'checkApis'] },
    hostile: hostileRows,
    docs: ['docs/guide/importing.md', 'Importing APIs'],
  },
  tool: {
    tables: ['tools'],
    schema: ['src/domain/tool.ts', 'tool'],
    parser: registryParser,
    rule: ['src/registry/rules/tools.ts', 'createTool'],
    contract: { list: 'listTools', show: 'getTool', change: ['createTool', 'updateTool', 'deleteTool'] },
    audit: ['tool.create', 'tool.update', 'tool.delete'],
    cli: { command: 'tools', list: 'list', show: 'show', change: ['update', 'enable', 'disable', 'delete'] },
    page: { name: 'tools', empty: 'tools.empty' },
    transfer: { exported: 'apis' },
    configFiles: later,
    retention: deletedByHand,
    failure: { metric: 'handrail_calls_total' },
    hostile: hostileRows,
    docs: ['docs/guide/importing.md', 'What you get'],
  },
  server: {
    tables: ['servers', 'given_names'],
    schema: ['src/domain/server.ts', 'server'],
    parser: registryParser,
    rule: ['src/registry/rules/servers.ts', 'createServer'],
    contract: {
      list: 'listServers',
      show: 'getServer',
      change: ['createServer', 'updateServer', 'deleteServer'],
    },
    audit: ['server.create', 'server.update', 'server.delete'],
    cli: { command: 'servers', list: 'list', show: 'show', change: ['create', 'update', 'delete'] },
    page: { name: 'servers', empty: 'servers.empty' },
    transfer: { exported: 'servers' },
    configFiles: later,
    retention: deletedByHand,
    failure: { metric: 'handrail_refused_calls_total' },
    hostile: hostileRows,
    docs: ['docs/guide/servers.md', 'Publishing servers'],
  },
  'composed-tool': {
    tables: ['composed_tools'],
    schema: ['src/domain/composed-tool.ts', 'composedTool'],
    parser: registryParser,
    rule: ['src/registry/rules/composed-tools.ts', 'createComposedTool'],
    contract: {
      list: 'listComposedTools',
      show: 'getComposedTool',
      change: ['createComposedTool', 'updateComposedTool', 'deleteComposedTool'],
    },
    audit: ['composed-tool.create', 'composed-tool.update', 'composed-tool.delete'],
    cli: { command: 'composed', list: 'list', show: 'show', change: ['save', 'update', 'delete'] },
    page: { name: 'composed', empty: 'composed.empty' },
    transfer: { exported: 'servers' },
    configFiles: later,
    retention: deletedByHand,
    failure: { metric: 'handrail_calls_total' },
    hostile: hostileRows,
    docs: ['docs/guide/code.md', 'Composed tools'],
  },
  credential: {
    tables: ['credentials'],
    schema: ['src/domain/credential.ts', 'credential'],
    parser: registryParser,
    rule: ['src/registry/rules/credentials.ts', 'setCredential'],
    contract: {
      list: 'listCredentials',
      show: 'getCredential',
      change: ['setCredential', 'deleteCredential'],
    },
    audit: ['credential.create', 'credential.update', 'credential.delete'],
    cli: { command: 'credentials', list: 'list', show: 'show', change: ['set', 'delete'] },
    page: { name: 'credentials', empty: 'credentials.empty' },
    transfer: { notNeeded: 'secrets never leave the gateway' },
    configFiles: later,
    retention: deletedByHand,
    failure: {
      metric: 'handrail_renewals_total',
      doctor: ['src/cli/doctor/check-apis.ts', 'credential'],
    },
    hostile: hostileRows,
    docs: ['docs/guide/credentials.md', 'Authentication methods'],
  },
  key: {
    tables: ['access_keys'],
    schema: ['src/domain/access-key.ts', 'accessKey'],
    parser: registryParser,
    rule: ['src/registry/rules/keys.ts', 'createKey'],
    contract: { list: 'listKeys', show: 'getKey', change: ['createKey', 'updateKey', 'deleteKey'] },
    audit: ['key.create', 'key.update', 'key.delete'],
    cli: { command: 'keys', list: 'list', show: 'show', change: ['create', 'update', 'revoke', 'delete'] },
    page: { name: 'keys', empty: 'keys.empty' },
    transfer: { notNeeded: 'secrets never leave the gateway' },
    configFiles: later,
    retention: deletedByHand,
    failure: { metric: 'handrail_refused_calls_total' },
    hostile: hostileRows,
    docs: ['docs/guide/access.md', 'Callers'],
  },
  person: {
    tables: ['people', 'people_seq'],
    schema: ['src/domain/person.ts', 'person'],
    parser: ['src/storage/people-store.ts', 'readPerson'],
    rule: ['src/access/people.ts', 'requireOtherOwner'],
    contract: {
      list: 'listPeople',
      show: 'getPerson',
      change: ['invitePerson', 'updatePerson', 'deletePerson'],
    },
    audit: ['person.create', 'person.update', 'person.delete'],
    cli: { command: 'people', list: 'list', show: 'show', change: ['invite', 'change', 'remove'] },
    page: { name: 'people', empty: 'people.empty' },
    transfer: { notNeeded: 'people belong to one installation' },
    configFiles: later,
    retention: deletedByHand,
    failure: { notNeeded: 'a sign-in that fails is in the audit log' },
    hostile: ['test/e2e/stored/hostile-requests.slow.test.ts', 'fullPerson'],
    docs: ['docs/guide/access.md', 'People'],
  },
  group: {
    tables: ['person_groups'],
    schema: ['src/domain/person.ts', 'group'],
    parser: ['src/storage/people-store.ts', 'readGroup'],
    rule: ['src/access/people.ts', 'requireGroupName'],
    contract: {
      list: 'listGroups',
      show: 'getGroup',
      change: ['createGroup', 'updateGroup', 'deleteGroup'],
    },
    audit: ['group.create', 'group.update', 'group.delete'],
    cli: { command: 'groups', list: 'list', show: 'show', change: ['create', 'change', 'delete'] },
    page: { name: 'people', empty: 'groups.empty' },
    transfer: { notNeeded: 'its members belong to one installation' },
    configFiles: later,
    retention: deletedByHand,
    failure: { notNeeded: 'nothing about it can fail by itself' },
    hostile: ['test/e2e/stored/hostile-requests.slow.test.ts', 'fullPerson'],
    docs: ['docs/guide/access.md', 'People'],
  },
  'identity-provider': {
    tables: ['identity_providers'],
    schema: ['src/domain/identity-provider.ts', 'identityProvider'],
    parser: registryParser,
    rule: ['src/registry/rules/identity-providers.ts', 'createIdentityProvider'],
    contract: {
      list: 'listIdentityProviders',
      show: 'getIdentityProvider',
      change: ['createIdentityProvider', 'updateIdentityProvider', 'deleteIdentityProvider'],
    },
    audit: ['identity-provider.create', 'identity-provider.update', 'identity-provider.delete'],
    cli: {
      command: 'identity-providers',
      list: 'list',
      show: 'show',
      change: ['create', 'update', 'delete'],
    },
    page: { name: 'people', empty: 'sso.empty' },
    transfer: { notNeeded: 'people belong to one installation' },
    configFiles: later,
    retention: deletedByHand,
    failure: { notNeeded: 'a sign-in that fails is logged, and its test says why' },
    hostile: hostileRows,
    docs: ['docs/guide/sign-in.md', 'Single sign-on'],
  },
  'api-token': {
    tables: ['api_tokens'],
    schema: ['src/domain/admin-api-token.ts', 'apiToken'],
    parser: registryParser,
    rule: ['src/registry/rules/api-tokens.ts', 'createApiToken'],
    contract: {
      list: 'listApiTokens',
      show: 'getApiToken',
      change: ['createApiToken', 'revokeApiToken', 'deleteApiToken'],
    },
    audit: ['api-token.create', 'api-token.update', 'api-token.delete'],
    cli: { command: 'api-tokens', list: 'list', show: 'show', change: ['create', 'revoke', 'delete'] },
    page: { name: 'people', empty: 'apiTokens.empty' },
    transfer: { notNeeded: 'it grants access' },
    configFiles: { notNeeded: 'it grants access' },
    retention: deletedByHand,
    failure: { notNeeded: 'its last use is shown' },
    hostile: hostileRows,
    docs: ['docs/guide/sign-in.md', 'Tokens for programs'],
  },
  setting: {
    tables: ['settings'],
    schema: ['src/domain/settings.ts', 'setting'],
    parser: registryParser,
    rule: ['src/registry/rules/change-settings.ts', 'updateSettings'],
    contract: { list: 'getSettings', show: 'getSettings', change: ['updateSettings'] },
    audit: ['setting.create', 'setting.update'],
    cli: { command: 'settings', list: 'show', show: 'show', change: ['update'] },
    page: { name: 'settings', empty: 'settings.lead' },
    transfer: { notNeeded: 'they belong to one installation' },
    configFiles: later,
    retention: deletedByHand,
    failure: { doctor: ['src/cli/commands/doctor.ts', 'checkStore'] },
    hostile: ['test/e2e/stored/hostile-config.test.ts', 'settings'],
    docs: ['docs/reference/configuration.md', 'Configuration'],
  },
  model: {
    tables: ['models'],
    schema: ['src/domain/models/model.ts', 'model'],
    parser: registryParser,
    rule: ['src/registry/rules/models.ts', 'createModel'],
    contract: { list: 'listModels', show: 'getModel', change: ['createModel', 'updateModel', 'deleteModel'] },
    audit: ['model.create', 'model.update', 'model.delete'],
    cli: { command: 'models', list: 'list', show: 'show', change: ['add', 'update', 'delete'] },
    page: { name: 'playground', empty: 'playground.empty' },
    transfer: { notNeeded: 'a model belongs to one installation, as its key does' },
    configFiles: later,
    retention: deletedByHand,
    failure: { notNeeded: 'only the person who asks a model sees its errors, where they asked' },
    hostile: hostileRows,
    docs: ['docs/guide/playground.md', 'Add a model'],
  },
  check: {
    tables: ['checks'],
    schema: ['src/domain/models/check.ts', 'check'],
    parser: registryParser,
    rule: ['src/registry/rules/checks.ts', 'createCheck'],
    contract: { list: 'listChecks', show: 'getCheck', change: ['createCheck', 'updateCheck', 'deleteCheck'] },
    audit: ['check.create', 'check.update', 'check.delete'],
    cli: { command: 'checks', list: 'list', show: 'show', change: ['create', 'update', 'delete'] },
    page: { name: 'playground', empty: 'playground.noChecks' },
    transfer: { notNeeded: 'a check names models, which an export leaves out' },
    configFiles: later,
    retention: deletedByHand,
    failure: { notNeeded: 'the exit code of "handrail check" reports it' },
    hostile: hostileRows,
    docs: ['docs/guide/playground.md', 'Checks'],
  },
  'check-run': {
    tables: ['check_runs'],
    schema: ['src/playground/checks/check-run.ts', 'checkRun'],
    parser: ['src/playground/checks/check-run.ts', 'readCheckRun'],
    rule: { notNeeded: 'no other noun refers to it' },
    contract: { list: 'listCheckRuns', show: 'getCheckRun', change: ['runChecks', 'stopCheckRun'] },
    audit: { notNeeded: 'a run changes nothing; its calls are recorded' },
    cli: { command: 'checks', list: 'runs', show: 'runs', change: ['runs'] },
    page: { name: 'playground', empty: 'playground.noChecks' },
    transfer: notConfiguration,
    configFiles: notConfiguration,
    retention: ['src/storage/check-run-store.ts', 'offset(most)'],
    failure: { notNeeded: 'the exit code of "handrail check" reports it' },
    hostile: ['src/playground/checks/check-run.test.ts', 'reads no stored run'],
    docs: ['docs/guide/playground.md', 'Checks'],
  },
  'import-job': {
    tables: ['import_jobs', 'import_job_parts'],
    schema: ['src/domain/import-job.ts', 'importJob'],
    parser: ['src/import/jobs/import-jobs.ts', 'readJob'],
    rule: { notNeeded: 'no other noun refers to it' },
    contract: {
      list: 'listImportJobs',
      show: 'getImportJob',
      change: ['startImportJob', 'runImportJob', 'removeImportJob'],
    },
    audit: { notNeeded: 'what it adds is recorded as api.import, by whoever started it' },
    cli: { notNeeded: '"handrail import" waits for its import and shows what it does' },
    page: { notNeeded: 'a list on every page shows the imports of the person who looks' },
    transfer: { notNeeded: 'it is removed after a day' },
    configFiles: { notNeeded: 'it is removed after a day' },
    retention: ['src/import/jobs/import-jobs.ts', 'keptForMs'],
    failure: { notNeeded: 'the job itself says why it failed' },
    hostile: ['test/e2e/import-jobs.test.ts', 'damaged'],
    docs: ['docs/guide/importing.md', 'Imports that take long'],
  },
  'connected-app': {
    tables: ['grant_entries'],
    schema: ['src/domain/connected-app.ts', 'connectedApp'],
    parser: ['src/authorization/connected-apps.ts', 'listedApp'],
    rule: { notNeeded: 'its person and its server are looked up each time it is used' },
    contract: { list: 'listConnectedApps', show: 'getConnectedApp', change: ['disconnectApp'] },
    audit: ['connected_app.allow', 'connected_app.deny', 'connected_app.revoke', 'connected_app.reuse'],
    cli: { command: 'connected-apps', list: 'list', show: 'show', change: ['revoke'] },
    page: { name: 'connectedApps', empty: 'connectedApps.empty' },
    transfer: { notNeeded: 'it grants access' },
    configFiles: { notNeeded: 'it grants access' },
    retention: ['src/storage/grant-store.ts', 'expires_at_ms'],
    failure: { metric: 'handrail_refused_calls_total' },
    hostile: ['test/e2e/sign-in/hostile-sign-ins.test.ts', 'hostile rows'],
    docs: ['docs/guide/connect-by-url.md', 'Connected apps'],
  },
  account: {
    tables: ['accounts'],
    schema: ['src/domain/account.ts', 'account'],
    parser: ['src/storage/account-store.ts', 'readAccount'],
    rule: { notNeeded: 'its person and its API are looked up, and must still fit, each time it is used' },
    contract: {
      list: 'listAccounts',
      show: 'getAccount',
      change: ['enterAccount', 'connectAccount', 'disconnectAccount'],
    },
    audit: ['account.connect', 'account.disconnect', 'account.link_refused'],
    cli: { command: 'accounts', list: 'list', show: 'show', change: ['connect', 'disconnect'] },
    page: { name: 'me', empty: 'accounts.empty' },
    transfer: { notNeeded: 'it grants access' },
    configFiles: { notNeeded: 'it grants access' },
    retention: ['src/storage/account-store.ts', 'removeOrphans'],
    failure: { notNeeded: 'a call that needs one says so to its person, with a link' },
    hostile: ['test/support/store-contract/accounts.ts', 'hostile rows'],
    docs: ['docs/guide/own-accounts.md', 'Own accounts'],
  },
  session: {
    tables: ['person_sessions'],
    schema: ['src/domain/person.ts', 'personSession'],
    parser: ['src/storage/session-store.ts', 'readSession'],
    rule: { notNeeded: 'it only names its person, who is looked up each time it is used' },
    contract: { list: 'listSessions', show: 'getSession', change: ['signIn', 'signOut'] },
    audit: ['session.sign_in', 'session.refused', 'session.sign_out', 'session.sign_out_everywhere'],
    cli: { command: 'people', list: 'list', show: 'show', change: ['sign-out'] },
    page: { name: 'me', empty: 'account.sessions' },
    transfer: { notNeeded: 'it grants access' },
    configFiles: { notNeeded: 'it grants access' },
    retention: ['src/storage/session-store.ts', 'expires_at_ms'],
    failure: { notNeeded: 'a rejected session is a 401 and a line in the audit log' },
    hostile: ['test/e2e/access/access-matrix.test.ts', 'forged session'],
    docs: ['docs/guide/access.md', 'People'],
  },
  'second-factor': {
    tables: ['person_factors'],
    schema: ['src/domain/second-factor.ts', 'secondFactor'],
    parser: ['src/storage/factor-store.ts', 'readFactor'],
    rule: ['src/storage/factor-store.ts', ">= max) return 'full'"],
    contract: {
      list: 'listSecondFactors',
      show: 'listSecondFactors',
      change: ['addAuthenticator', 'addPasskey', 'removeSecondFactor', 'resetSecondFactors'],
    },
    audit: [
      'second_factor.add',
      'second_factor.remove',
      'second_factor.recovery_codes',
      'second_factor.reset',
    ],
    cli: { command: 'people', list: 'show', show: 'show', change: ['reset-second-factor'] },
    page: { name: 'me', empty: 'factors.empty' },
    transfer: { notNeeded: 'it grants access' },
    configFiles: { notNeeded: 'it grants access' },
    retention: deletedByHand,
    failure: { notNeeded: 'a refused factor is a 401 and a line in the audit log' },
    hostile: ['test/e2e/access/second-factors.test.ts', 'a damaged one still asks'],
    docs: ['docs/guide/sign-in.md', 'Second factors'],
  },
  'personal-key': {
    tables: [],
    schema: ['src/domain/personal-key.ts', 'personalKey'],
    parser: ['src/access/tokens/personal-keys.ts', 'listedKey'],
    rule: ['src/domain/personal-key.ts', 'takesPersonalKeys'],
    contract: {
      list: 'listPersonalKeys',
      show: 'listPersonalKeys',
      change: ['createPersonalKey', 'revokePersonalKey'],
    },
    audit: ['personal_key.create', 'personal_key.revoke'],
    cli: { command: 'my-keys', list: 'list', show: 'list', change: ['create', 'revoke'] },
    page: { name: 'me', empty: 'me.noKeys' },
    transfer: { notNeeded: 'it grants access' },
    configFiles: { notNeeded: 'it grants access' },
    retention: ['src/storage/grant-store.ts', 'expires_at_ms'],
    failure: { metric: 'handrail_refused_calls_total' },
    hostile: ['test/e2e/access/personal-keys.test.ts', 'unknown or damaged'],
    docs: ['docs/guide/sign-in.md', 'Your own page'],
  },
  'call-record': {
    tables: [
      'call_records',
      'call_segments',
      'call_segment_groups',
      'call_segment_bodies',
      'call_rollups',
      'script_runs',
      'script_effects',
    ],
    schema: ['src/domain/call.ts', 'CallRecord'],
    parser: ['src/storage/call-rows.ts', 'toCallRecord'],
    rule: { notNeeded: 'it describes what happened; nothing refers to it' },
    contract: { list: 'listCalls', show: 'getCall', change: ['purgeCalls'] },
    audit: ['call-record.purge'],
    cli: { command: 'calls', list: 'list', show: 'show', change: ['purge'] },
    page: { name: 'calls', empty: 'calls.empty' },
    transfer: notConfiguration,
    configFiles: notConfiguration,
    retention: ['src/calls/retention.ts', 'purgeOldCalls'],
    failure: {
      metric: 'handrail_call_records_unreadable',
      doctor: ['src/cli/commands/doctor.ts', 'checkCallRecords'],
    },
    hostile: ['test/e2e/calls/newer-records.test.ts', 'newer'],
    docs: ['docs/guide/observability.md', 'Observability'],
  },
  'audit-entry': {
    tables: ['audit_log', 'audit_chain'],
    schema: ['src/domain/audit.ts', 'AuditEntry'],
    parser: ['src/storage/audit-store.ts', 'toEntry'],
    rule: { notNeeded: 'it is written in the commit that it describes' },
    contract: { list: 'listAudit', show: 'verifyAudit', change: [] },
    audit: { notNeeded: 'it is the audit log' },
    cli: { command: 'audit', list: 'list', show: 'verify', change: [] },
    page: { name: 'audit', empty: 'audit.empty' },
    transfer: notConfiguration,
    configFiles: notConfiguration,
    retention: ['src/calls/retention.ts', 'purgeOldAudit'],
    failure: {
      metric: 'handrail_audit_failures_total',
      doctor: ['src/cli/commands/doctor.ts', 'checkAudit'],
    },
    hostile: ['test/e2e/access/audit-log.test.ts', 'editRows'],
    docs: ['docs/guide/audit.md', 'Audit log'],
  },
  'kept-reply': {
    tables: ['kept_replies', 'kept_reply_parts'],
    schema: ['src/replies/kept-replies.ts', 'replyHead'],
    parser: ['src/replies/kept-replies.ts', 'replyHead'],
    rule: { notNeeded: 'only its caller can read it, by a handle' },
    contract: { notNeeded: 'only its caller may read it, by its handle, never an admin' },
    audit: { notNeeded: 'the call that made it is recorded' },
    cli: { notNeeded: 'only its caller may read it, by its handle, never an admin' },
    page: { notNeeded: 'only its caller may read it, by its handle, never an admin' },
    transfer: { notNeeded: 'it expires within minutes' },
    configFiles: { notNeeded: 'it expires within minutes' },
    retention: ['src/storage/kept-reply-store.ts', 'expires_at_ms'],
    failure: { metric: 'handrail_kept_reply_bytes' },
    hostile: ['test/e2e/files/files.test.ts', 'forged'],
    docs: ['docs/guide/servers.md', 'Long replies'],
  },
};

/** Tables that store no noun, and what for. */
export const machinery: Readonly<Partial<Record<keyof Tables, string>>> = {
  schema_migrations: 'which migrations have run',
  schema_additions: 'which migrations earlier versions can live with',
  registry_seq: 'the position of the change feed',
  registry_changes: 'the change feed that other processes follow',
  meta: 'facts about the store itself, such as the id of its master key',
  budgets: 'shares of rate and concurrency limits; nothing outlives its minute',
  budget_members: 'the processes that share them',
};
