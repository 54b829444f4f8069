import { randomBytes } from 'node:crypto';
import type { Actor } from '../domain/audit.ts';
import { accessErrors } from '../domain/error-messages/access.ts';
import { timeMs } from '../domain/fields/row-fields.ts';
import type { Principal } from '../domain/person.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { type Infer, integer, nullable, object, text } from '../lib/schema/schema.ts';
import { auditEntry } from '../registry/audit-entries.ts';
import type { AuditStore, GrantStore } from '../storage/ports.ts';
import type { People } from './people.ts';
import { hashSecret, newSecret, sameHash } from './secrets.ts';
import type { NewSession, RequestOrigin } from './sign-in.ts';

const request = object({
  machine: text({ min: 1, max: 200 }),
  address: text({ max: 100 }),
  /** Where on that machine the browser returns to; null for a machine without one. */
  port: nullable(integer({ min: 1, max: 65_535 })),
  startedAtMs: timeMs,
  deviceHash: text({ min: 1, max: 200 }),
});

/** A command line that waits for someone to agree. */
export type LoginRequest = Infer<typeof request>;

const approval = object({
  version: integer(),
  machine: text({ min: 1, max: 200 }),
  returnHash: nullable(text({ max: 200 })),
});

/** How command lines get a token of a person. */
export interface Logins {
  /** Begins a login; what it returns is kept by the command line, except for the code, which a person sees. */
  start(
    input: { readonly machine: string; readonly port: number | null },
    from: RequestOrigin,
  ): Promise<{ readonly deviceCode: string; readonly userCode: string; readonly expiresAtMs: number }>;
  /** What a code is about. */
  show(userCode: string): Promise<LoginRequest>;
  /** Agrees, once; with a code that the browser takes back to the machine it is on. */
  approve(userCode: string, person: Principal, actor: Actor): Promise<{ readonly returnTo: string | null }>;
  deny(userCode: string, person: Principal, actor: Actor): Promise<void>;
  /** The token, once someone agreed; null while no one did. */
  finish(
    input: { readonly deviceCode: string; readonly returnCode: string | null },
    from: RequestOrigin,
  ): Promise<NewSession | null>;
}

const requestKind = 'LoginRequest';
const approvalKind = 'LoginApproval';
const waitMs = 10 * 60_000;
const collectMs = 2 * 60_000;
const maxWaiting = 1_000;
// Without vowels, so that it spells nothing, and without letters that look alike.
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

export function createLogins({
  grants,
  audit,
  people,
  open,
  now,
}: {
  readonly grants: GrantStore;
  readonly audit: Pick<AuditStore, 'add'>;
  readonly people: Pick<People, 'read' | 'nowOf'>;
  /** Opens the session of a command line. */
  readonly open: (personId: string, machine: string, from: RequestOrigin) => Promise<NewSession>;
  readonly now: () => number;
}): Logins {
  async function read(userCode: string): Promise<LoginRequest> {
    const entry = await grants.get(requestKind, plainCode(userCode), now());
    const found = entry === null || entry.consumedAtMs !== undefined ? null : readJson(request, entry.doc);
    if (found === null) throw accessErrors.loginUnknown();
    return found;
  }

  /** Uses a code up; what agrees and what declines can't both happen. */
  async function take(userCode: string): Promise<LoginRequest> {
    const found = await read(userCode);
    if (!(await grants.consume(requestKind, plainCode(userCode), now()))) throw accessErrors.loginUnknown();
    return found;
  }

  const note = (
    { id, name }: Principal,
    actor: Actor,
    action: string,
    { machine, address }: LoginRequest,
  ) => {
    const entry = auditEntry(actor, now(), action, { kind: 'person', id, label: name });
    return audit.add([{ ...entry, after: JSON.stringify({ machine, address }) }]);
  };

  return {
    async start({ machine, port }, from) {
      const nowMs = now();
      const { value: deviceCode } = newSecret('hrdevice_');
      const userCode = newUserCode();
      const deviceHash = hashSecret(deviceCode);
      const expiresAtMs = nowMs + waitMs;
      await grants.removeEnded(nowMs, { kind: requestKind, max: maxWaiting - 1 });
      await grants.put({
        name: plainCode(userCode),
        kind: requestKind,
        lookup: deviceHash,
        createdAtMs: nowMs,
        expiresAtMs,
        doc: JSON.stringify({
          machine: machine.slice(0, 200),
          address: from.address.slice(0, 100),
          port,
          startedAtMs: nowMs,
          deviceHash,
        } satisfies LoginRequest),
      });
      return { deviceCode, userCode, expiresAtMs };
    },

    show: read,

    async approve(userCode, person, actor) {
      const version = (await people.read(person.id))?.version;
      if (version === undefined) throw accessErrors.loginUnknown();
      const found = await take(userCode);
      const back = found.port === null ? null : newSecret('');
      const nowMs = now();
      await grants.put({
        name: found.deviceHash,
        kind: approvalKind,
        personId: person.id,
        createdAtMs: nowMs,
        expiresAtMs: nowMs + collectMs,
        doc: JSON.stringify({ version, machine: found.machine, returnHash: back?.hash ?? null }),
      });
      await note(person, actor, 'login.approve', found);
      return { returnTo: back === null ? null : `http://127.0.0.1:${found.port}/?code=${back.value}` };
    },

    async deny(userCode, person, actor) {
      const found = await take(userCode);
      await grants.remove(requestKind, plainCode(userCode));
      await note(person, actor, 'login.deny', found);
    },

    async finish({ deviceCode, returnCode }, from) {
      const deviceHash = hashSecret(deviceCode);
      const entry = await grants.get(approvalKind, deviceHash, now());
      if (entry === null) {
        if ((await grants.find(requestKind, deviceHash, now())) === null) throw accessErrors.loginUnknown();
        return null;
      }
      const agreed = readJson(approval, entry.doc);
      const person = entry.personId === undefined ? null : await people.read(entry.personId);
      const isHere =
        agreed !== null &&
        (agreed.returnHash === null ||
          (returnCode !== null && sameHash(agreed.returnHash, hashSecret(returnCode))));
      if (!isHere || person === null || person.version !== agreed.version || people.nowOf(person) === null)
        throw accessErrors.loginUnknown();
      if (!(await grants.consume(approvalKind, deviceHash, now()))) throw accessErrors.loginUnknown();
      return open(person.id, agreed.machine, from);
    },
  };
}

function newUserCode(): string {
  // 256 isn't a multiple of 20: bytes above 239 would favor some letters.
  const drawn: string[] = [];
  while (drawn.length < 8)
    for (const byte of randomBytes(16)) if (byte < 240) drawn.push(letters[byte % 20]!);
  return `${drawn.slice(0, 4).join('')}-${drawn.slice(4, 8).join('')}`;
}

function plainCode(userCode: string): string {
  return userCode
    .slice(0, 50)
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '');
}
