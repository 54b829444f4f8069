import { ActionIcon, Progress } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, ClipboardList, FileInput, X } from 'lucide-react';
import { Link, useSearchParams } from 'wouter';
import { request } from '../api/client.ts';
import { useGet } from '../api/queries.ts';
import type { ImportJob } from '../api/resources.ts';
import { toastProblem } from '../components/feedback/toasts.ts';
import { useText } from '../i18n/text.tsx';
import { stageText } from '../pages/add/stage-text.ts';
import styles from './ImportTray.module.css';

const pollEveryMs = 1_000;
const icons = { running: FileInput, planned: ClipboardList, applied: CircleCheck, failed: CircleAlert };

/** The imports of the person who looks, wherever they are in the app, except the one that the page shows. */
export default function ImportTray() {
  const t = useText();
  const queries = useQueryClient();
  const [search] = useSearchParams();
  const jobs = useGet(
    '/import-jobs',
    {},
    {
      everyMs: (latest) => (latest?.items.some(({ state }) => state === 'running') ? pollEveryMs : false),
    },
  );
  const shown = (jobs.data?.items ?? []).filter(({ id, isMine }) => isMine && id !== search.get('import'));
  if (shown.length === 0) return null;
  const remove = async (job: ImportJob) => {
    try {
      await request('DELETE', '/import-jobs/:job', { params: { job: job.id } });
    } catch (error) {
      toastProblem(error);
    }
    await queries.invalidateQueries({ queryKey: ['/import-jobs'] });
  };
  return (
    <section className={styles.tray} aria-label={t('imports.title')}>
      <h2 className={styles.title}>{t('imports.title')}</h2>
      {shown.map((job) => {
        const Icon = icons[job.state];
        return (
          <div key={job.id} className={styles.job} data-state={job.state}>
            <Icon size={16} strokeWidth={1.85} aria-hidden />
            <Link href={`/add?import=${job.id}`} className={styles.words}>
              <span className={styles.label} title={job.label}>
                {job.label}
              </span>
              <span className={styles.state}>
                {job.state === 'running' ? t(stageText(job)) : t(`imports.${job.state}`)}
              </span>
            </Link>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t(job.state === 'running' ? 'imports.cancel' : 'imports.dismiss', {
                label: job.label,
              })}
              onClick={() => void remove(job)}
            >
              <X size={14} aria-hidden />
            </ActionIcon>
            {job.state === 'running' && (
              <Progress
                className={styles.progress}
                size={4}
                value={job.total > 0 ? (job.done / job.total) * 100 : 100}
                animated={job.total === 0}
                striped={job.total === 0}
                aria-label={t('add.progress')}
              />
            )}
          </div>
        );
      })}
    </section>
  );
}
