import { Button, Group, Stack, Text } from '@mantine/core';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import type { ComposedTool } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { ArgumentsForm } from '../../arguments/ArgumentsForm.tsx';
import { initialArguments } from '../../arguments/fields.ts';
import { toastProblem } from '../../components/feedback/toasts.ts';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import { CallResult, CallSummary } from '../tools/try-tool/CallResult.tsx';

/** Calls a composed tool for real, as a model would. */
export function TryComposed({ tool, isDirty }: { tool: ComposedTool; isDirty: boolean }) {
  const t = useText();
  const [values, setValues] = useState<Record<string, unknown>>(() => initialArguments(tool.inputSchema));
  const call = useChange('POST', '/composed-tools/:tool/call', ['/calls']);
  const run = () =>
    call.mutate({ params: { tool: tool.id }, body: { arguments: values } }, { onError: toastProblem });
  return (
    <div className={layout.split}>
      <Panel title={t('tools.arguments')}>
        <Stack gap="md">
          <ArgumentsForm schema={tool.inputSchema} value={values} onChange={setValues} />
          <RequireRole>
            <Group>
              <Button
                leftSection={<Play size={15} aria-hidden />}
                onClick={run}
                loading={call.isPending}
                disabled={!tool.served || isDirty}
              >
                {t('tools.run')}
              </Button>
              {(isDirty || !tool.served) && (
                <Text size="sm" c="dimmed">
                  {t(isDirty ? 'composed.saveFirst' : 'composed.notServed')}
                </Text>
              )}
            </Group>
          </RequireRole>
        </Stack>
      </Panel>
      <RequireRole>
        <Panel title={t('tools.result')} actions={call.data && <CallSummary reply={call.data} />}>
          {call.data === undefined ? (
            <Text c="dimmed">{t('composed.tryEmpty')}</Text>
          ) : (
            <CallResult key={call.data.callId} reply={call.data} retry={run} />
          )}
        </Panel>
      </RequireRole>
    </div>
  );
}
