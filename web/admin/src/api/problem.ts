/** An error response of the admin API. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: string;
  readonly problems: readonly { readonly path: string; readonly message: string }[];

  constructor(status: number, code: string, detail: string, problems: ProblemError['problems'] = []) {
    super(detail);
    this.status = status;
    this.code = code;
    this.problems = problems;
  }
}

/** Reads RFC 9457 problem details; anything else becomes a plain sentence. */
export async function readProblem(response: Response): Promise<ProblemError> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as { code?: unknown; detail?: unknown; problems?: unknown };
    return new ProblemError(
      response.status,
      typeof body.code === 'string' ? body.code : 'unknown',
      typeof body.detail === 'string' ? body.detail : response.statusText,
      Array.isArray(body.problems) ? (body.problems as ProblemError['problems']) : [],
    );
  } catch {
    return new ProblemError(response.status, 'unknown', response.statusText || `HTTP ${response.status}`);
  }
}

/** The message to show for anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
