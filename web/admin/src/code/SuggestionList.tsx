import { useEffect, useRef } from 'react';
import { useText } from '../i18n/text.tsx';
import styles from './CodeEditor.module.css';
import type { Suggestion } from './suggestions.ts';

interface SuggestionListProps {
  readonly id: string;
  readonly items: readonly Suggestion[];
  /** −1 if none is selected. */
  readonly chosen: number;
  readonly place: { readonly left: number; readonly top: number };
  readonly onAccept: (item: Suggestion) => void;
}

/** The element id of one suggestion. */
export const optionId = (list: string, at: number): string => `${list}-${at}`;

/** What can be inserted at the caret. */
export function SuggestionList({ id, items, chosen, place, onAccept }: SuggestionListProps) {
  const t = useText();
  const active = useRef<HTMLDivElement>(null);
  useEffect(() => {
    active.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const about = items[chosen]?.about ?? '';
  return (
    <div className={styles.floating} style={place}>
      <div role="listbox" id={id} aria-label={t('code.suggestions')} className={styles.list}>
        {items.map((item, at) => (
          <div
            key={item.label}
            id={optionId(id, at)}
            ref={at === chosen ? active : null}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            className={styles.option}
            // Keeps the focus in the editor.
            onMouseDown={(event) => {
              event.preventDefault();
              onAccept(item);
            }}
          >
            <span className={styles.label}>{item.label}</span>
            <span className={styles.detail}>{item.detail}</span>
          </div>
        ))}
      </div>
      {about !== '' && <p className={styles.about}>{about}</p>}
    </div>
  );
}
