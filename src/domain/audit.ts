/** Who did something: an admin, the admin token, or Handrail itself. */
export interface Actor {
  readonly id: string;
  readonly label: string;
  readonly address?: string;
}

/** What Handrail does by itself: start-up, watched documents, retention. */
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
  /** JSON text of the fields that changed, as they were. */
  readonly before: string | null;
  /** JSON text of the fields that changed, as they are now. */
  readonly after: string | null;
}
