import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { urlFor } from '../../api/url-for.ts';
import { download } from '../../api/download.ts';
import { ActionMenu } from '../../components/ActionMenu.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';

const formats = ['handrail', 'handsai'] as const;

/** Downloads one or all APIs with their tools, without secrets. */
export function ExportMenu({ api, size = 'sm' }: { api?: string; size?: 'xs' | 'sm' }) {
  const t = useText();
  const save = (format: (typeof formats)[number]) =>
    void download(
      `/api/v1${urlFor('/export', {}, { format, api })}`,
      `${api ?? 'apis'}.${format}.json`,
    ).catch(toastProblem);
  return (
    <ActionMenu
      button={
        <Button variant="default" size={size} leftSection={<Download size={15} aria-hidden />}>
          {api === undefined ? t('apis.exportAll') : t('apis.export')}
        </Button>
      }
      actions={formats.map((format) => ({ name: t(`apis.export.${format}`), onChoose: () => save(format) }))}
    />
  );
}
