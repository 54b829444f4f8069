import { ActionIcon, UnstyledButton } from '@mantine/core';
import { ChevronDown, ChevronRight, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useText } from '../../i18n/text.tsx';
import styles from './ExpandableItem.module.css';

interface ExpandableItemProps {
  readonly name: string;
  readonly note?: string | undefined;
  readonly startOpen: boolean;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

/** An item of a list that expands for editing. */
export function ExpandableItem({ name, note, startOpen, onRemove, children }: ExpandableItemProps) {
  const t = useText();
  const [open, setOpen] = useState(startOpen);
  const Arrow = open ? ChevronDown : ChevronRight;
  return (
    <div className={styles.entry}>
      <div className={styles.head}>
        <UnstyledButton className={styles.name} aria-expanded={open} onClick={() => setOpen(!open)}>
          <Arrow size={16} aria-hidden />
          <span className={styles.words}>
            <b>{name}</b>
            {note !== undefined && <span className={styles.note}>{note}</span>}
          </span>
        </UnstyledButton>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('servers.removeEntry', { name })}
          onClick={onRemove}
        >
          <Trash2 size={15} aria-hidden />
        </ActionIcon>
      </div>
      {open && <div className={styles.fields}>{children}</div>}
    </div>
  );
}
