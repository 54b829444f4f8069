import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useGet } from '../../api/queries.ts';
import type { Tool } from '../../api/resources.ts';
import { CopyButton } from '../../components/display/CopyButton.tsx';
import { MethodBadge } from '../../components/display/MethodBadge.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './ToolHeader.module.css';

/** A tool's name and request, and its usage in the last day. */
export function ToolHeader({ tool }: { tool: Tool }) {
  const t = useText();
  return (
    <Group gap="xs" component="span">
      <Group gap={2} component="span" wrap="nowrap">
        <code>{tool.name}</code>
        <CopyButton text={tool.name} label={t('tools.copyName')} />
      </Group>
      <MethodBadge method={tool.operation.method} /> <code>{tool.operation.path}</code>
      <LastDay name={tool.name} />
    </Group>
  );
}

function LastDay({ name }: { name: string }) {
  const t = useText();
  const format = useFormats();
  const day = useGet('/analytics', { query: { range: '24h', by: 'tool', name, top: 1 } });
  if (day.data === undefined) return null;
  const { calls, errors, latency } = day.data.totals;
  if (calls === 0)
    return (
      <Text span size="sm" c="dimmed">
        {t('tools.dayQuiet')}
      </Text>
    );
  return (
    <Link href={`/calls?tool=${encodeURIComponent(name)}`} className={styles.day}>
      {[
        t('tools.dayCalls', { count: calls }),
        t('home.errorsToday', { count: errors }),
        ...(latency === null ? [] : [t('home.p95', { time: format.duration(latency.p95Ms) })]),
      ].join(' · ')}
    </Link>
  );
}
