import { useEffect } from 'react';

const dirty = new Set<symbol>();

/** Whether leaving this page would lose edits. */
export const hasUnsavedChanges = (): boolean => dirty.size > 0;

/** Marks the edits of a component as unsaved. */
export function useUnsaved(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return undefined;
    const mark = Symbol('unsaved');
    dirty.add(mark);
    return () => void dirty.delete(mark);
  }, [unsaved]);
}
