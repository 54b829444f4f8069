import { Button, Select, Stack, Switch, Text } from '@mantine/core';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import layout from '../../components/Layout.module.css';
import { KeyValueInput } from '../../components/inputs/KeyValueInput.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import { WatchSelect } from '../apis/WatchSelect.tsx';
import type { ImportOptions } from './options.ts';
import { OverlayFiles } from './OverlayFiles.tsx';

interface OptionsFormProps {
  readonly value: ImportOptions;
  readonly onChange: (changes: ImportOptions) => void;
  /** Whether the document has a URL that can be checked again. */
  readonly hasAddress: boolean;
}

/** What to do with header and cookie parameters, and with later changes. */
export function OptionsForm({ value, onChange, hasAddress }: OptionsFormProps) {
  const t = useText();
  const [open, setOpen] = useState(false);
  const Arrow = open ? ChevronDown : ChevronRight;
  const shown = (['expose', 'hide'] as const).map((rule) => ({ value: rule, label: t(`add.rule.${rule}`) }));
  return (
    <Panel
      title={t('add.options')}
      lead={t('add.optionsLead')}
      actions={
        <Button
          variant="default"
          size="xs"
          aria-expanded={open}
          leftSection={<Arrow size={14} aria-hidden />}
          onClick={() => setOpen(!open)}
        >
          {open ? t('common.less') : t('add.optionsOpen')}
        </Button>
      }
    >
      {open && (
        <div className={layout.split}>
          <Stack gap="md">
            <Select
              label={t('add.headers')}
              description={t('add.headersHint')}
              allowDeselect={false}
              data={shown}
              value={value.headers ?? 'expose'}
              onChange={(headers) => onChange({ headers: headers as 'expose' | 'hide' })}
            />
            <Select
              label={t('add.cookies')}
              allowDeselect={false}
              data={shown}
              value={value.cookies ?? 'expose'}
              onChange={(cookies) => onChange({ cookies: cookies as 'expose' | 'hide' })}
            />
            <Select
              label={t('add.technical')}
              description={t('add.technicalHint')}
              allowDeselect={false}
              data={shown}
              value={value.technical ?? 'hide'}
              onChange={(technical) => onChange({ technical: technical as 'expose' | 'hide' })}
            />
            <div>
              <Text size="sm" fw={500}>
                {t('add.fix')}
              </Text>
              <Text size="xs" c="dimmed" mb={6}>
                {t('add.fixHint')}
              </Text>
              <KeyValueInput
                value={fixedValues(value.fix)}
                onChange={(fix) => onChange({ fix })}
                nameLabel={t('add.fixName')}
              />
            </div>
          </Stack>
          <Stack gap="md">
            <Switch
              label={t('apis.approve')}
              description={t('apis.approveHint')}
              checked={value.approveChanges ?? false}
              onChange={(event) => onChange({ approveChanges: event.currentTarget.checked })}
            />
            <OverlayFiles
              value={value.overlays ?? []}
              onChange={(overlays) =>
                onChange({ overlays: overlays.map(({ name, text = '' }) => ({ name, text })) })
              }
            />
            {hasAddress && (
              <WatchSelect
                value={value.watchEveryMs}
                onChange={(watchEveryMs) => onChange({ watchEveryMs })}
              />
            )}
          </Stack>
        </div>
      )}
    </Panel>
  );
}

// A null value is no longer fixed and has nothing to show.
function fixedValues(fix: ImportOptions['fix']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fix ?? {}).filter((pair): pair is [string, string] => pair[1] !== null),
  );
}
