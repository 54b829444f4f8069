import { Button, Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { CloudOff, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { messageOf, ProblemError } from '../../api/problem.ts';
import { useText } from '../../i18n/text.tsx';
import { EmptyState } from './EmptyState.tsx';

interface LoadedProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  readonly rows?: number;
  readonly children: (loaded: T) => ReactNode;
}

/** Shows the loaded data, a placeholder while it loads, or the error. */
export function Loaded<T>({ query, rows = 5, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <LoadFailure error={query.error} retry={() => void query.refetch()} />;
  return <LoadingRows rows={rows} />;
}

export function LoadingRows({ rows = 5 }: { rows?: number }) {
  const t = useText();
  return (
    <Stack gap={12} p="md" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} h={18} w={`${92 - ((row * 17) % 41)}%`} radius="sm" />
      ))}
    </Stack>
  );
}

export function LoadFailure({ error, retry }: { error: unknown; retry?: () => void }) {
  const t = useText();
  const gone = error instanceof ProblemError && error.status === 404;
  return (
    <EmptyState
      icon={gone ? SearchX : CloudOff}
      tone="bad"
      title={gone ? t('common.notFound') : t('common.failed')}
      text={messageOf(error)}
      action={
        retry && (
          <Button variant="default" size="xs" onClick={retry}>
            {t('common.retry')}
          </Button>
        )
      }
    />
  );
}
