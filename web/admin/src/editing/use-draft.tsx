import { useState } from 'react';
import { ProblemError } from '../api/problem.ts';
import { toastDone, toastProblem } from '../components/feedback/toasts.ts';
import { useText } from '../i18n/text.tsx';
import { useUnsaved } from './unsaved.ts';
import { changesOf, changesSince, clashesOf, type Clash } from './merge.ts';

interface Versioned {
  readonly revision: number;
}

/** A conflict with someone else's edit, which was saved first. */
export interface Conflict<T> {
  readonly theirs: T;
  readonly clashes: readonly Clash[];
}

export interface Draft<T> {
  readonly value: T;
  readonly set: (changes: Partial<T>) => void;
  readonly dirty: boolean;
  readonly saving: boolean;
  /** Someone saved a newer version during this edit. */
  readonly outdated: boolean;
  readonly conflict: Conflict<T> | null;
  /** The gateway's error for a field, by JSON Pointer, until the next change. */
  readonly problemAt: (path: string) => string | undefined;
  readonly save: () => Promise<void>;
  readonly discard: () => void;
  /** Resolves a conflict: keeps my values of these fields and theirs of the others. */
  readonly settle: (keepMine: ReadonlySet<string>) => Promise<void>;
}

interface Editing<T> {
  readonly base: T;
  readonly changes: Partial<T>;
}

/**
 * Edits one versioned item. Nothing is sent until `save`, which names the revision it started from. If that revision
 * is outdated, both versions are shown and nothing is lost.
 */
export function useDraft<T extends Versioned>(
  current: T,
  write: (changes: Partial<T>, revision: number) => Promise<T>,
  readCurrent: () => Promise<T>,
): Draft<T> {
  const t = useText();
  const [editing, setEditing] = useState<Editing<T> | null>(null);
  const [saving, setSaving] = useState(false);
  const [conflict, setConflict] = useState<Conflict<T> | null>(null);
  const [problems, setProblems] = useState<ProblemError['problems']>([]);
  const base = editing?.base ?? current;
  const changes = editing === null ? {} : changesOf(base, editing.changes);
  const dirty = Object.keys(changes).length > 0;
  useUnsaved(dirty);

  async function send(sent: Partial<T>, onto: T): Promise<void> {
    const submitted = editing?.changes ?? {};
    setSaving(true);
    setProblems([]);
    try {
      const saved = Object.keys(sent).length > 0 ? await write(sent, onto.revision) : onto;
      setEditing((latest) => {
        const unsaved = changesSince(submitted, latest?.changes ?? {});
        return Object.keys(unsaved).length === 0 ? null : { base: saved, changes: unsaved };
      });
      setConflict(null);
      toastDone(t('common.saved'));
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status !== 412) {
        if (error instanceof ProblemError) setProblems(error.problems);
        return toastProblem(error);
      }
      const theirs = await readCurrent();
      const clashes = clashesOf(onto, theirs, sent);
      // Different fields, so both edits fit: apply ours on top of theirs.
      if (clashes.length === 0) return send(sent, theirs);
      setConflict({ theirs, clashes });
    } finally {
      setSaving(false);
    }
  }

  return {
    value: { ...base, ...editing?.changes },
    set: (next) => {
      setEditing({ base, changes: { ...editing?.changes, ...next } });
      setProblems([]);
    },
    dirty,
    saving,
    outdated: editing !== null && current.revision !== base.revision,
    conflict,
    problemAt: (path) => problems.find((problem) => problem.path === path)?.message,
    save: () => send(changes, base),
    discard: () => {
      setEditing(null);
      setProblems([]);
      setConflict(null);
    },
    settle: async (keepMine) => {
      if (conflict === null) return;
      const clashing = new Set(conflict.clashes.map((clash) => clash.field));
      const kept = Object.fromEntries(
        Object.entries(changes).filter(([field]) => !clashing.has(field) || keepMine.has(field)),
      ) as Partial<T>;
      await send(kept, conflict.theirs);
    },
  };
}
