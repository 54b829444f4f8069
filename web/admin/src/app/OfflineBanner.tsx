import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { CloudOff, RefreshCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { fetchTracked, useIsOffline } from '../api/reachability.ts';
import { useText } from '../i18n/text.tsx';
import styles from './OfflineBanner.module.css';
import { hasAppUpdate } from './app-update.ts';

const askEveryMs = 2_000;

// fetchTracked records the result.
const ask = () => void fetchTracked('/livez', { cache: 'no-store' }).catch(() => undefined);

/** Shows when the gateway is unreachable, polls until it responds, then refreshes what is on screen. */
export function OfflineBanner() {
  const t = useText();
  const isOffline = useIsOffline();
  const queries = useQueryClient();
  const wasOffline = useRef(false);
  const [hasUpdate, setHasUpdate] = useState(false);
  useEffect(() => {
    // Not every page sends requests by itself. A gateway on the same machine may still be reachable.
    window.addEventListener('offline', ask);
    return () => window.removeEventListener('offline', ask);
  }, []);
  useEffect(() => {
    if (isOffline) {
      wasOffline.current = true;
      const timer = setInterval(ask, askEveryMs);
      return () => clearInterval(timer);
    }
    if (wasOffline.current) {
      wasOffline.current = false;
      void queries.invalidateQueries();
      void hasAppUpdate().then(setHasUpdate);
    }
    return undefined;
  }, [isOffline, queries]);
  if (isOffline)
    return (
      <div className={styles.banner} data-tone="bad" role="alert">
        <CloudOff size={17} aria-hidden />
        <span>{t('offline.text')}</span>
      </div>
    );
  if (hasUpdate)
    return (
      <div className={styles.banner} role="status">
        <RefreshCw size={17} aria-hidden />
        <span>{t('update.text')}</span>
        <Button size="compact-xs" variant="default" onClick={() => location.reload()}>
          {t('update.reload')}
        </Button>
      </div>
    );
  return null;
}
