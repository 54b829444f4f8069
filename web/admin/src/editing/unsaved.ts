import { useEffect } from 'react';

const dirty = new Set<symbol>();

/** Whether anything on this page would be lost by leaving it. */
export const hasUnsavedChanges = (): boolean => dirty.size > 0;

/** Says that what is being edited here is not saved yet. */
export function useUnsaved(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return undefined;
    const mark = Symbol('unsaved');
    dirty.add(mark);
    return () => void dirty.delete(mark);
  }, [unsaved]);
}
