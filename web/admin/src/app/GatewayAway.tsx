import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { CloudOff, RefreshCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { fetchNoting, useAway } from '../api/presence.ts';
import { useText } from '../i18n/text.tsx';
import styles from './GatewayAway.module.css';
import { hasNewerFiles } from './newer-files.ts';

const askEveryMs = 2_000;

/** Says when the gateway does not answer, asks until it does, and then brings what is on the screen up to date. */
export function GatewayAway() {
  const t = useText();
  const away = useAway();
  const queries = useQueryClient();
  const wasAway = useRef(false);
  const [newer, setNewer] = useState(false);
  useEffect(() => {
    if (away) {
      wasAway.current = true;
      // What becomes of it is noted where it is sent.
      const ask = () => void fetchNoting('/livez', { cache: 'no-store' }).catch(() => undefined);
      const timer = setInterval(ask, askEveryMs);
      return () => clearInterval(timer);
    }
    if (wasAway.current) {
      wasAway.current = false;
      void queries.invalidateQueries();
      void hasNewerFiles().then(setNewer);
    }
    return undefined;
  }, [away, queries]);
  if (away)
    return (
      <div className={styles.banner} data-tone="bad" role="alert">
        <CloudOff size={17} aria-hidden />
        <span>{t('away.text')}</span>
      </div>
    );
  if (newer)
    return (
      <div className={styles.banner} role="status">
        <RefreshCw size={17} aria-hidden />
        <span>{t('away.newer')}</span>
        <Button size="compact-xs" variant="default" onClick={() => location.reload()}>
          {t('away.reload')}
        </Button>
      </div>
    );
  return null;
}
