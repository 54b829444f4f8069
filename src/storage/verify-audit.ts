import { isNextInChain } from './audit-store.ts';
import type { AuditStore, ChainPlace } from './ports.ts';

/** Something about the audit log that only a change from outside explains. */
export interface AuditFault {
  readonly kind: 'changed' | 'missing' | 'added' | 'end' | 'expected';
  /** The lines that it is about; null for lines without a place in the chain. */
  readonly fromSeq: number | null;
  readonly toSeq: number | null;
  readonly message: string;
}

export interface AuditVerification {
  /** Lines whose hashes were computed again. */
  readonly lines: number;
  /** The newest line, to be kept elsewhere and compared later. */
  readonly last: ChainPlace;
  /** The newest line that retention removed; 0 if none was. */
  readonly removedUpTo: number;
  /** The first of them; not all if there are very many. */
  readonly faults: readonly AuditFault[];
}

const linesAtATime = 1_000;
const maxFaults = 20;

/**
 * Computes the chain of the audit log again and compares it with what is stored, and with a line that was noted earlier.
 * Lines that are written, or removed by retention, meanwhile don't count as faults.
 */
export async function verifyAudit(
  audit: Pick<AuditStore, 'chain' | 'linesAfter' | 'unchained'>,
  expected?: ChainPlace,
): Promise<AuditVerification> {
  const { last, removed } = await audit.chain();
  const faults: AuditFault[] = [];
  const fault = (kind: AuditFault['kind'], message: string, fromSeq?: number, toSeq = fromSeq) => {
    if (faults.length < maxFaults)
      faults.push({ kind, fromSeq: fromSeq ?? null, toSeq: toSeq ?? null, message });
  };
  const isExpected = ({ seq, hash }: ChainPlace): void => {
    if (expected?.seq === seq && expected.hash !== hash)
      fault('expected', `Line ${seq} is not the one that was noted: its hash differs.`, seq);
  };
  let place = removed;
  let lines = 0;
  isExpected(removed);
  while (place.seq < last.seq) {
    const page = await audit.linesAfter(place.seq, linesAtATime);
    if (page[0]?.seq !== place.seq + 1) {
      const now = await audit.chain();
      if (now.removed.seq > place.seq) {
        place = now.removed;
        continue;
      }
    }
    const found = page.filter(({ seq }) => seq <= last.seq);
    for (const line of found) {
      if (line.seq !== place.seq + 1) missing(place.seq + 1, line.seq - 1);
      else if (!isNextInChain(place, line))
        fault('changed', `Line ${line.seq} (${line.id}) was changed after it was written.`, line.seq);
      isExpected(line);
      place = { seq: line.seq, hash: line.hash };
      lines++;
    }
    if (found.length < page.length || page.length === 0) break;
  }
  if (place.seq < last.seq) missing(place.seq + 1, last.seq);
  else if (place.seq === last.seq && place.hash !== last.hash)
    fault('end', `The chain does not end with line ${last.seq} as it is stored.`, last.seq);
  const beyond = await audit.linesAfter(last.seq, 1);
  // Read after the line: one that was written meanwhile is in it.
  const now = await audit.chain();
  if (beyond[0] !== undefined && beyond[0].seq > now.last.seq)
    fault('added', `Line ${beyond[0].seq} is after the end of the chain.`, beyond[0].seq);
  if (expected !== undefined && expected.seq > now.last.seq)
    fault(
      'expected',
      `The log ends with line ${now.last.seq}, although line ${expected.seq} was noted earlier.`,
      expected.seq,
    );
  const unchained = await audit.unchained();
  if (unchained > 0)
    fault('added', `${unchained} ${unchained === 1 ? 'line is' : 'lines are'} not part of the chain.`);
  return { lines, last, removedUpTo: removed.seq, faults };

  function missing(from: number, to: number): void {
    const which = from === to ? `Line ${from} is` : `Lines ${from} to ${to} are`;
    fault('missing', `${which} missing.`, from, to);
  }
}
