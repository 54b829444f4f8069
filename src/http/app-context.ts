import type { Logger } from 'pino';
import type { Access } from '../access/open-access.ts';
import type { RefusalLimit } from '../access/refusal-limit.ts';
import type { Authorization } from '../authorization/open-authorization.ts';
import type { AnswerCall } from '../calls/answer-call.ts';
import type { Calls } from '../calls/open-calls.ts';
import type { Config } from '../config/settings.ts';
import type { Accounts } from '../credentials/accounts.ts';
import type { CredentialActions } from '../credentials/credential-actions.ts';
import type { ImportJobs } from '../import/jobs/import-jobs.ts';
import type { Imports } from '../import/open-import.ts';
import type { RunCode } from '../mcp/built-in/run-code.ts';
import type { McpHandler } from '../mcp/handler.ts';
import type { Discovery } from '../mcp/open-discovery.ts';
import type { OpenedRegistry } from '../registry/open-registry.ts';
import type { ServingRules } from '../registry/rules/servers.ts';
import type { Replies } from '../replies/open-replies.ts';
import type { Store } from '../storage/ports.ts';
import type { Upstream } from '../upstream/open-upstream.ts';
import type { ClientAddress } from './client-address.ts';
import type { LifeState } from './connections/process-life.ts';

/**
 * What routes depend on: everything the modules opened, assembled in `gateway.ts`. A route picks the fields it uses.
 */
export interface AppContext
  extends
    LifeState,
    OpenedRegistry,
    Discovery,
    Pick<
      Access,
      | 'people'
      | 'serverRules'
      | 'signIn'
      | 'secondFactors'
      | 'personalKeys'
      | 'logins'
      | 'singleSignOn'
      | 'identify'
      | 'keyUses'
    >,
    Pick<Calls, 'calls' | 'recorder' | 'metrics' | 'scrape' | 'keepsContents'>,
    Pick<Imports, 'importer' | 'sourceChecks'>,
    Pick<Upstream, 'fetch' | 'health'> {
  readonly config: Config;
  readonly version: string;
  readonly log: Logger;
  readonly now: () => number;
  readonly store: Store;
  readonly rules: ServingRules;
  /** Loads changes made by other processes of this gateway, so that admins see their own last change. */
  readonly catchUp: () => Promise<void>;
  /** The client's IP address, looking through trusted proxies. */
  readonly clientAddress: ClientAddress;
  readonly refusals: RefusalLimit;
  readonly importJobs: ImportJobs;
  readonly answerCall: AnswerCall;
  readonly replies: Replies;
  readonly runCode: RunCode;
  readonly mcp: McpHandler;
  readonly credentials: CredentialActions;
  readonly accounts: Accounts;
  readonly authorization: Authorization;
}
