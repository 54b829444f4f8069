import { ActionIcon, Button, Loader } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { type Conversation, forgetConversation, titleOf } from './conversations.ts';
import styles from './Playground.module.css';

/** The conversations of this tab, newest first. */
export function ConversationList({
  conversations,
  open,
  onOpen,
  onNew,
}: {
  conversations: readonly Conversation[];
  open: Conversation;
  onOpen: (conversation: Conversation) => void;
  onNew: () => void;
}) {
  const t = useText();
  const format = useFormats();
  return (
    <nav className={styles.list} aria-label={t('playground.conversations')}>
      <Button variant="default" size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={onNew}>
        {t('playground.newConversation')}
      </Button>
      <ul>
        {conversations.map((one) => (
          <li key={one.id} data-open={one.id === open.id || undefined}>
            <button
              type="button"
              className={styles.listed}
              aria-current={one.id === open.id ? 'true' : undefined}
              onClick={() => onOpen(one)}
            >
              <span className={styles.listedTitle}>{titleOf(one)}</span>
              <span className={styles.listedNote}>
                {one.server} · {format.ago(new Date(one.updatedAtMs).toISOString())}
              </span>
            </button>
            {one.sides.some(({ exchanges }) => exchanges.some(({ state }) => state === 'running')) ? (
              <Loader role="img" size={14} aria-label={t('playground.answering')} />
            ) : (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={t('playground.forget', { title: titleOf(one) })}
                onClick={() => forgetConversation(one)}
              >
                <Trash2 size={14} aria-hidden />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
