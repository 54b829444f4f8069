import { Menu } from '@mantine/core';
import { Check, Keyboard, Languages, LogOut, UserRoundCog } from 'lucide-react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { Language } from '../../i18n/language.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { openShortcuts } from '../palette/Shortcuts.tsx';
import { useSession } from './session.tsx';

const languages: readonly [Language, string][] = [
  ['en', 'English'],
  ['es', 'Español'],
];

/** Language, account and sign-out. Opens as soon as it has loaded. */
export default function AccountMenu({ children }: { children: ReactElement }) {
  const { t, language, setLanguage } = useLanguage();
  const { signOut } = useSession();
  return (
    <Menu position="top-start" width={210} defaultOpened>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('account.language')}</Menu.Label>
        {languages.map(([code, name]) => (
          <Menu.Item
            key={code}
            lang={code}
            leftSection={<Languages size={15} aria-hidden />}
            rightSection={language === code ? <Check size={15} aria-hidden /> : null}
            onClick={() => void setLanguage(code)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} href="/me" leftSection={<UserRoundCog size={15} aria-hidden />}>
          {t('account.title')}
        </Menu.Item>
        <Menu.Item leftSection={<Keyboard size={15} aria-hidden />} onClick={openShortcuts}>
          {t('shortcuts.title')}
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={15} aria-hidden />} onClick={() => void signOut()}>
          {t('account.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
