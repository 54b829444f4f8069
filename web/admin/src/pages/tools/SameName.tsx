import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useChange, useGet } from '../../api/queries.ts';
import type { ToolLine } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { MethodBadge } from '../../components/display/MethodBadge.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useText } from '../../i18n/text.tsx';

/** Shown when a tool name in the URL is ambiguous: pick one, or rename or disable it. */
export function SameName({ name }: { name: string }) {
  const t = useText();
  const index = useGet('/tool-index', {});
  return (
    <Page
      title={t('sameName.title', { name })}
      lead={t('sameName.lead')}
      parent={{ href: '/tools', label: t('nav.tools') }}
      edits="editor"
    >
      <Panel flush>
        <Loaded query={index}>
          {({ items }) => (
            <RowList>
              {items
                .filter((tool) => tool.name === name)
                .map((tool) => (
                  <SameNamed key={tool.id} tool={tool} />
                ))}
            </RowList>
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

function SameNamed({ tool }: { tool: ToolLine }) {
  const t = useText();
  const update = useChange('PATCH', '/tools/:tool', ['/tool-index', '/tools/:tool', '/tools']);
  const change = (body: { readonly name: string } | { readonly enabled: boolean }) =>
    update.mutate(
      { params: { tool: tool.id }, body },
      { onSuccess: () => toastDone(t('common.saved')), onError: toastProblem },
    );
  const prefixed = `${tool.api.replaceAll('-', '_')}_${tool.name}`;
  return (
    <Row
      name={tool.api}
      href={`/tools/${tool.id}`}
      badge={<MethodBadge method={tool.method} />}
      note={`${tool.path} · ${tool.summary}`}
      side={
        <Group gap="xs">
          {!tool.enabled && (
            <Text size="sm" c="dimmed">
              {t('common.disabled')}
            </Text>
          )}
          <RequireRole>
            <Button size="xs" variant="default" onClick={() => change({ name: prefixed })}>
              {t('sameName.prefix', { name: prefixed })}
            </Button>
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              onClick={() => change({ enabled: !tool.enabled })}
            >
              {t(tool.enabled ? 'common.disable' : 'common.enable')}
            </Button>
          </RequireRole>
          <Button component={Link} href={`/tools/${tool.id}`} size="xs" variant="light">
            {t('sameName.open')}
          </Button>
        </Group>
      }
    />
  );
}
