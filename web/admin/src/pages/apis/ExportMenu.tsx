import { Button, Menu } from '@mantine/core';
import { Download } from 'lucide-react';
import { addressOf } from '../../api/address.ts';
import { download } from '../../api/download.ts';
import { toastProblem } from '../../components/toasts.tsx';
import { useText } from '../../i18n/text.tsx';

const formats = ['handrail', 'handsai'] as const;

/** Downloads an API with its tools, or all of them, without secrets. */
export function ExportMenu({ api, size = 'sm' }: { api?: string; size?: 'xs' | 'sm' }) {
  const t = useText();
  const save = (format: (typeof formats)[number]) =>
    void download(
      `/api/v1${addressOf('/export', {}, { format, api })}`,
      `${api ?? 'apis'}.${format}.json`,
    ).catch(toastProblem);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size={size} leftSection={<Download size={15} aria-hidden />}>
          {api === undefined ? t('apis.exportAll') : t('apis.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map((format) => (
          <Menu.Item key={format} onClick={() => save(format)}>
            {t(`apis.export.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
