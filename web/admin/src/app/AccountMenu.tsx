import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import {
  Check,
  CircleUserRound,
  UserRoundCog,
  Keyboard,
  Languages,
  LogOut,
  Moon,
  Sun,
  SunMoon,
} from 'lucide-react';
import { Link } from 'wouter';
import { useSpeaking, type Language } from '../i18n/text.tsx';
import styles from './AccountMenu.module.css';
import { openShortcuts } from './Shortcuts.tsx';
import { useSession } from './session.tsx';

const languages: readonly [Language, string][] = [
  ['en', 'English'],
  ['es', 'Español'],
];

/** Who you are, how the app looks and speaks, and the way out. */
export default function AccountMenu() {
  const { t, language, speak } = useSpeaking();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const { state, signOut } = useSession();
  const scheme = { auto: SunMoon, light: Sun, dark: Moon }[colorScheme];
  const Scheme = scheme;
  const next = { auto: 'light', light: 'dark', dark: 'auto' } as const;
  return (
    <div className={styles.account}>
      <Menu position="top-start" width={210}>
        <Menu.Target>
          <button type="button" className={styles.me}>
            <CircleUserRound size={19} strokeWidth={1.75} aria-hidden />
            <span>
              {state.kind === 'in' && state.session.via === 'session'
                ? state.session.name
                : t('account.token')}
            </span>
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('account.language')}</Menu.Label>
          {languages.map(([code, name]) => (
            <Menu.Item
              key={code}
              lang={code}
              leftSection={<Languages size={15} aria-hidden />}
              rightSection={language === code ? <Check size={15} aria-hidden /> : null}
              onClick={() => void speak(code)}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item component={Link} href="/account" leftSection={<UserRoundCog size={15} aria-hidden />}>
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
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t(`account.scheme.${colorScheme}`)}
        title={t(`account.scheme.${colorScheme}`)}
        onClick={() => setColorScheme(next[colorScheme])}
      >
        <Scheme size={17} aria-hidden />
      </ActionIcon>
    </div>
  );
}
