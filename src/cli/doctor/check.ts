/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it, where something is wrong. */
  readonly fix?: string;
}
