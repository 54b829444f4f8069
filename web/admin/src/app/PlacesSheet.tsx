import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.tsx';
import { AccountBar } from './account/AccountBar.tsx';
import styles from './Shell.module.css';

/** All pages, in a sheet on phones. */
export default function PlacesSheet({
  opened,
  onClose,
  children,
}: {
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const t = useText();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="bottom"
      size="auto"
      title={t('nav.label')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <div className={styles.sheet}>{children}</div>
      <AccountBar />
    </Drawer>
  );
}
