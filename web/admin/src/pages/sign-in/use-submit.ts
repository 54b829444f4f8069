import { useState, type FormEvent } from 'react';
import { messageOf } from '../../api/problem.ts';

/** Submits a form once at a time and keeps the gateway's error. */
export function useSubmit(send: () => Promise<void>) {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    send()
      .catch((error: unknown) => setProblem(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return { onSubmit, busy, problem };
}
