import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../components/display/CodeBlock.tsx';
import layout from '../components/Layout.module.css';
import { useText } from '../i18n/text.tsx';
import type { Draft } from './use-draft.tsx';

const show = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

/** Both versions side by side, field by field. Nothing is saved until the user chooses. */
export function ConflictDialog<T>({ draft }: { draft: Draft<T> }) {
  const t = useText();
  const [mine, setMine] = useState<ReadonlySet<string>>(new Set());
  const { conflict } = draft;
  if (conflict === null) return null;
  const choose = (field: string, keepMine: boolean) => {
    const next = new Set(mine);
    if (keepMine) next.add(field);
    else next.delete(field);
    setMine(next);
  };
  return (
    <Modal
      opened
      onClose={draft.discard}
      title={t('editing.conflictTitle')}
      size="xl"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Text size="sm" c="dimmed" mb="md">
        {t('editing.conflictText')}
      </Text>
      <Stack gap="lg">
        {conflict.clashes.map((clash) => (
          <Radio.Group
            key={clash.field}
            label={clash.field}
            value={mine.has(clash.field) ? 'mine' : 'theirs'}
            onChange={(value) => choose(clash.field, value === 'mine')}
          >
            <div className={layout.split}>
              <Stack gap={6}>
                <Radio value="theirs" label={t('editing.theirs')} />
                <CodeBlock text={show(clash.theirs)} label={t('editing.theirs')} maxHeight={220} />
              </Stack>
              <Stack gap={6}>
                <Radio value="mine" label={t('editing.mine')} />
                <CodeBlock text={show(clash.mine)} label={t('editing.mine')} maxHeight={220} />
              </Stack>
            </div>
          </Radio.Group>
        ))}
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={draft.discard}>
          {t('editing.takeTheirs')}
        </Button>
        <Button loading={draft.saving} onClick={() => void draft.settle(mine)}>
          {t('editing.saveChoice')}
        </Button>
      </Group>
    </Modal>
  );
}
