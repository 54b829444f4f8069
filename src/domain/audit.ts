/** Who did something: an admin, the admin token, or Handrail itself. */
export interface Actor {
  readonly id: string;
  readonly label: string;
  readonly address?: string;
}

/** The actor for what Handrail does on its own: startup, watched documents, retention. */
export const handrailItself: Actor = { id: 'handrail', label: 'Handrail' };

/** One line of the audit log. Secrets are masked before it gets here. */
export interface AuditEntry {
  readonly id: string;
  readonly atMs: number;
  readonly actorId: string;
  readonly actorLabel: string;
  readonly address: string | null;
  /** What was done, such as `tool.update` or `session.sign_in`. */
  readonly action: string;
  readonly subjectKind: string;
  readonly subjectId: string | null;
  readonly subjectLabel: string | null;
  /** JSON text of the changed fields, with their old values. */
  readonly before: string | null;
  /** JSON text of the changed fields, with their new values. */
  readonly after: string | null;
}

/** The name under which the store keeps the newest line of the audit log that a target has. */
export const sentFact = (target: 'webhook' | 'file'): string => `audit_sent:${target}`;
