import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { CircleUserRound, Moon, Sun, SunMoon } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import styles from './AccountBar.module.css';
import { useSession } from './session.tsx';

// The menu pulls in half of the component library, so it loads when the pointer or focus reaches it.
const load = () => import('./AccountMenu.tsx');
const AccountMenu = lazy(load);

const schemes = { auto: SunMoon, light: Sun, dark: Moon };
const next = { auto: 'light', light: 'dark', dark: 'auto' } as const;

/** The signed-in user, and the color scheme. */
export function AccountBar() {
  const t = useText();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const { state } = useSession();
  const [used, setUsed] = useState(false);
  const Scheme = schemes[colorScheme];
  const me = (
    <button
      type="button"
      className={styles.me}
      aria-haspopup="menu"
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setUsed(true)}
    >
      <CircleUserRound size={19} strokeWidth={1.75} aria-hidden />
      <span>
        {state.kind === 'in' && state.session.via === 'session' ? state.session.name : t('account.token')}
      </span>
    </button>
  );
  return (
    <div className={styles.account}>
      {used ? (
        <Suspense fallback={me}>
          <AccountMenu>{me}</AccountMenu>
        </Suspense>
      ) : (
        me
      )}
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
