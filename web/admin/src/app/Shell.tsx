import { ActionIcon, Button, Kbd } from '@mantine/core';
import { Menu as MenuIcon, Plus, Search } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { credentialDialog } from '../components/remedies/ProblemText.tsx';
import { useText } from '../i18n/text.tsx';
import { AccountBar } from './account/AccountBar.tsx';
import { Brand } from './Brand.tsx';
import { OfflineBanner } from './OfflineBanner.tsx';
import { LiveChanges } from './LiveChanges.tsx';
import { RequireRole, useHasRole } from './account/permissions.tsx';
import { openPalette, usePaletteOpen } from './palette/palette-state.ts';
import { ownPlaces, placeGroups, places, type Place } from './places.ts';
import styles from './Shell.module.css';
import { useIdle } from './use-idle.ts';
import { Shortcuts } from './palette/Shortcuts.tsx';

// Dialogs pull in half of the component library, so they load on first use.
const PlacesSheet = lazy(() => import('./PlacesSheet.tsx'));
const Palette = lazy(() => import('./palette/Palette.tsx'));
const ImportTray = lazy(() => import('./ImportTray.tsx'));
const CredentialDialog = lazy(() => import('../pages/credentials/CredentialDialog.tsx'));

const onPhone = ['/', '/apis', '/servers', '/calls'];

/** The frame around every page: a sidebar on wide screens, bars at the top and bottom on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useText();
  const [location] = useLocation();
  const [menuOpen, setMenuOpen] = useState(false);
  const [menuUsed, setMenuUsed] = useState(false);
  const paletteOpen = usePaletteOpen();
  const credentialApi = credentialDialog.use();
  const hasRole = useHasRole('viewer');
  const isEditor = useHasRole('editor');
  const isIdle = useIdle();
  const tray = isEditor && isIdle && (
    <Suspense>
      <ImportTray />
    </Suspense>
  );
  const here = (place: Place) =>
    place.href === '/' ? location === '/' : location === place.href || location.startsWith(`${place.href}/`);
  const link = (place: Place, onClick?: () => void) => (
    <Link
      key={place.href}
      href={place.href}
      className={styles.link}
      data-here={here(place) || undefined}
      aria-current={here(place) ? 'page' : undefined}
      onClick={onClick}
    >
      <place.icon size={17} strokeWidth={1.85} aria-hidden />
      {t(place.name)}
    </Link>
  );
  const groups = (onClick?: () => void) =>
    (hasRole ? placeGroups : ownPlaces).map((group) => (
      <div key={group.name ?? 'top'} className={styles.group}>
        {group.name && <div className={styles.groupName}>{t(group.name)}</div>}
        {group.places.map((place) => link(place, onClick))}
      </div>
    ));
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {t('nav.skip')}
      </a>
      <aside className={styles.side}>
        <Brand />
        <RequireRole>
          {' '}
          <Button component={Link} href="/add" leftSection={<Plus size={16} aria-hidden />} fullWidth>
            {t('nav.add')}
          </Button>
        </RequireRole>
        {hasRole && (
          <button type="button" className={styles.search} onClick={openPalette}>
            <Search size={15} aria-hidden />
            <span>{t('palette.short')}</span>
            <Kbd size="xs">{/Mac|iPhone/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</Kbd>
          </button>
        )}
        {tray}
        <nav aria-label={t('nav.label')} className={styles.nav}>
          {groups()}
        </nav>
        <div className={styles.account}>
          <AccountBar />
        </div>
      </aside>
      <header className={styles.top}>
        <Brand />
        <span className={styles.gap} />
        {hasRole && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('palette.open')}
            onClick={openPalette}
          >
            <Search size={19} aria-hidden />
          </ActionIcon>
        )}
        <RequireRole>
          {' '}
          <ActionIcon component={Link} href="/add" size="lg" aria-label={t('nav.add')}>
            <Plus size={19} aria-hidden />
          </ActionIcon>
        </RequireRole>
      </header>
      <main id="content" className={styles.main} tabIndex={-1}>
        <div className={styles.phoneTray}>{tray}</div>
        {children}
      </main>
      <nav className={styles.bottom} aria-label={t('nav.label')}>
        {(hasRole ? places.filter((place) => onPhone.includes(place.href)) : ownPlaces[0]!.places).map(
          (place) => (
            <Link
              key={place.href}
              href={place.href}
              className={styles.tab}
              data-here={here(place) || undefined}
              aria-current={here(place) ? 'page' : undefined}
            >
              <place.icon size={20} strokeWidth={1.75} aria-hidden />
              {t(place.name)}
            </Link>
          ),
        )}
        <button
          type="button"
          className={styles.tab}
          onClick={() => {
            setMenuUsed(true);
            setMenuOpen(true);
          }}
        >
          <MenuIcon size={20} strokeWidth={1.75} aria-hidden />
          {t('nav.more')}
        </button>
      </nav>
      <Suspense>
        {menuUsed && (
          <PlacesSheet opened={menuOpen} onClose={() => setMenuOpen(false)}>
            {groups(() => setMenuOpen(false))}
          </PlacesSheet>
        )}
        {paletteOpen && <Palette />}
        {credentialApi !== null && (
          <CredentialDialog api={credentialApi} onClose={() => credentialDialog.set(null)} />
        )}
      </Suspense>
      {hasRole && <Shortcuts />}
      {hasRole && <LiveChanges />}
      <OfflineBanner />
    </div>
  );
}
