import { Badge } from '@mantine/core';
import type { ComposedTool } from '../../api/resources.ts';
import { useText } from '../../i18n/text.tsx';

const colors = { read: 'teal', write: 'blue', destructive: 'red' } as const;

/** What a composed tool does, and whether models can see it. */
export function ComposedBadges({ tool }: { tool: ComposedTool }) {
  const t = useText();
  return (
    <>
      <Badge color={colors[tool.kind]}>{t(`choose.kind.${tool.kind}`)}</Badge>{' '}
      {!tool.enabled ? (
        <Badge color="gray">{t('common.disabled')}</Badge>
      ) : (
        !tool.served && <Badge color="orange">{t('composed.incomplete')}</Badge>
      )}
    </>
  );
}
