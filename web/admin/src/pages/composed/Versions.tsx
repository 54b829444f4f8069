import { Badge, Button, Group, Text } from '@mantine/core';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useChange, useGet } from '../../api/queries.ts';
import type { ComposedTool } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import { LineDiff } from '../../components/display/LineDiff.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

/** The versions of a composed tool, newest first. Any of them can be restored. */
export function Versions({ tool }: { tool: ComposedTool }) {
  const t = useText();
  const format = useFormats();
  const versions = useGet('/composed-tools/:tool/versions', { params: { tool: tool.id } });
  const restore = useChange('POST', '/composed-tools/:tool/restore', [
    '/composed-tools',
    '/composed-tools/:tool',
    '/composed-tools/:tool/versions',
  ]);
  const [shown, setShown] = useState<number | null>(null);
  const onRestore = (number: number) =>
    restore.mutate(
      { params: { tool: tool.id }, body: { version: number }, revision: tool.revision },
      {
        onSuccess: ({ version }) => toastDone(t('composed.restored', { number, version })),
        onError: toastProblem,
      },
    );
  return (
    <Loaded query={versions}>
      {({ items }) => {
        const chosen = items.find(({ number }) => number === (shown ?? items[0]?.number));
        const before = chosen && items.find(({ number }) => number === chosen.number - 1);
        return (
          <div className={layout.split}>
            <Panel flush title={t('composed.versions')}>
              <RowList>
                {items.map(({ number, savedAt, savedBy }) => (
                  <Row
                    key={number}
                    name={t('composed.version', { number })}
                    badge={number === tool.version && <Badge color="green">{t('composed.current')}</Badge>}
                    note={t('composed.saved', { when: format.ago(savedAt), who: savedBy })}
                    side={
                      <Group gap="xs">
                        <Button
                          size="xs"
                          variant={chosen?.number === number ? 'light' : 'default'}
                          aria-pressed={chosen?.number === number}
                          onClick={() => setShown(number)}
                        >
                          {t('composed.view')}
                        </Button>
                        {number !== tool.version && (
                          <RequireRole>
                            <Button
                              size="xs"
                              variant="default"
                              leftSection={<RotateCcw size={14} aria-hidden />}
                              loading={restore.isPending && restore.variables.body?.version === number}
                              onClick={() => onRestore(number)}
                            >
                              {t('composed.restore')}
                            </Button>
                          </RequireRole>
                        )}
                      </Group>
                    }
                  />
                ))}
              </RowList>
            </Panel>
            {chosen && (
              <Panel title={t('composed.version', { number: chosen.number })} lead={chosen.description}>
                {before === undefined ? (
                  <CodeBlock text={chosen.code} label={t('code.script')} />
                ) : (
                  <LineDiff
                    before={before.code}
                    after={chosen.code}
                    label={t('composed.changes', { number: before.number })}
                  />
                )}
                <Text size="sm" fw={600} mt="md" mb={6}>
                  {t('composed.schema')}
                </Text>
                <CodeBlock json text={JSON.stringify(chosen.inputSchema)} label={t('composed.schema')} />
              </Panel>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
