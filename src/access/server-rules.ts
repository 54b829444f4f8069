import type { Caller } from '../domain/call.ts';
import { accessErrors } from '../domain/error-messages/access.ts';
import type { AccessRule, Server } from '../domain/server.ts';
import { kindOf, type Tool } from '../domain/tool.ts';
import { WeakCache } from '../lib/weak-cache.ts';
import { matchesSelector } from '../registry/build-snapshot.ts';
import type { ServerView, Snapshot } from '../registry/snapshot.ts';
import type { Identify } from './callers.ts';
import type { People } from './people.ts';

type Rules = NonNullable<Server['access']>;

export interface ServerRulesOptions {
  readonly people: Pick<People, 'groupsOfClaims' | 'seq'>;
  readonly snapshot: () => Pick<Snapshot, 'view'>;
}

/** What a server's rules for groups and people leave a caller. */
export interface ServerRules {
  /**
   * The caller with the tools that the rules give it, in addition to what its grant already leaves out; throws `forbidden`
   * if no rule is about it. Operators, and keys without a person, are not restricted.
   */
  apply(server: Server, caller: Caller): Caller;
}

/** Creates the rules of one process. */
export function createServerRules({ people, snapshot }: ServerRulesOptions): ServerRules {
  const known = new WeakCache<Caller, { view: ServerView; seq: number; caller: Caller }>();

  return {
    apply(server, caller) {
      const rules = server.access;
      if (rules === undefined || isUnrestricted(caller)) return caller;
      const view = snapshot().view(server.slug);
      if (view === undefined) return caller;
      const seq = people.seq();
      const before = known.get(caller);
      if (before?.view === view && before.seq === seq) return before.caller;
      const restricted = restrict(view, rules.filter(isAbout(caller, people)), caller);
      known.set(caller, { view, seq, caller: restricted });
      return restricted;
    },
  };
}

/** Applies a server's rules to everyone who is identified. */
export function identifyWithRules(identify: Identify, rules: ServerRules): Identify {
  return {
    ...identify,
    identifySync(server, proof) {
      const caller = identify.identifySync(server, proof);
      return caller && rules.apply(server, caller);
    },
    identify: async (server, proof) => rules.apply(server, await identify.identify(server, proof)),
  };
}

function isUnrestricted({ kind, person }: Caller): boolean {
  return kind === 'admin' || kind === 'local' || (kind === 'key' && person === undefined);
}

function isAbout(
  { person, issuerClaims }: Caller,
  people: Pick<People, 'groupsOfClaims'>,
): (rule: AccessRule) => boolean {
  const groups = new Set(
    person?.groups ?? (issuerClaims && people.groupsOfClaims(issuerClaims.issuer, issuerClaims.values)),
  );
  return (rule) =>
    (rule.group !== undefined && groups.has(rule.group)) ||
    (rule.person !== undefined && rule.person === person?.id);
}

function restrict({ tools }: ServerView, rules: Rules, caller: Caller): Caller {
  if (rules.length === 0) throw accessErrors.serverNotForPerson();
  const isWhole = rules.some(({ kinds, tools: selected }) => kinds === undefined && selected === undefined);
  const rates = rules.map(({ ratePerMinute = Infinity }) => ratePerMinute);
  const ratePerMinute = Math.min(caller.ratePerMinute ?? Infinity, Math.max(...rates));
  const limited = Number.isFinite(ratePerMinute) ? { ...caller, ratePerMinute } : caller;
  if (isWhole) return limited;
  const toolIds = tools
    .map(({ compiled }) => compiled.tool)
    .filter((tool) => caller.toolIds?.has(tool.id) ?? true)
    .filter((tool) => rules.some((rule) => opens(rule, tool)));
  return { ...limited, toolIds: new Set(toolIds.map(({ id }) => id)) };
}

function opens({ kinds, tools }: AccessRule, tool: Tool): boolean {
  return (
    (kinds === undefined || kinds.includes(kindOf(tool))) &&
    (tools === undefined || tools.some((selector) => matchesSelector(selector, tool)))
  );
}
