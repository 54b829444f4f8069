import { Select, Stack, Switch, TextInput } from '@mantine/core';
import { paginationKinds } from '#domain/operation.ts';
import type { Tool } from '../../api/resources.ts';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';

type Operation = Tool['operation'];
type Pagination = NonNullable<Operation['pagination']>;

/** How a tool's list is paginated, detected or set manually, and whether it starts long-running jobs. */
export function PaginationEditor({
  operation,
  onChange,
  problemAt,
}: {
  operation: Operation;
  onChange: (changes: Partial<Operation>) => void;
  problemAt: (field: string) => string | undefined;
}) {
  const t = useText();
  const { pagination, parameters } = operation;
  const set = (changes: Partial<Pagination>) => {
    const next = { kind: 'cursor', ...pagination, ...changes } as Pagination;
    onChange({
      pagination: Object.fromEntries(
        Object.entries(next).filter(([, value]) => value !== undefined && value !== ''),
      ) as Pagination,
    });
  };
  const takesArgument = pagination !== undefined && !['link', 'url'].includes(pagination.kind);
  const names = parameters.map(({ name }) => name);
  return (
    <Panel title={t('pages.title')} lead={t('pages.lead')}>
      <Stack gap="md">
        <Select
          label={t('pages.kind')}
          clearable
          placeholder={t('pages.none')}
          data={paginationKinds.map((kind) => ({ value: kind, label: t(`pages.kind.${kind}`) }))}
          value={pagination?.kind ?? null}
          onChange={(kind) => (kind === null ? onChange({ pagination: undefined }) : set({ kind }))}
        />
        {pagination?.kind === 'graphql' && (
          <TextInput
            label={t('pages.parameter')}
            error={problemAt('/pagination/parameter')}
            description={t('pages.variableHint')}
            placeholder="variables.after"
            styles={mono}
            value={pagination.parameter ?? ''}
            onChange={(event) => set({ parameter: event.currentTarget.value })}
          />
        )}
        {takesArgument && pagination.kind !== 'graphql' && (
          <>
            <Select
              label={t('pages.parameter')}
              error={problemAt('/pagination/parameter')}
              clearable
              searchable
              data={names}
              value={pagination.parameter ?? null}
              onChange={(parameter) => set({ parameter: parameter ?? undefined })}
            />
            <Select
              label={t('pages.size')}
              error={problemAt('/pagination/size')}
              clearable
              searchable
              data={names}
              value={pagination.size ?? null}
              onChange={(size) => set({ size: size ?? undefined })}
            />
          </>
        )}
        {pagination && (
          <>
            <TextInput
              label={t('pages.items')}
              error={problemAt('/pagination/items')}
              description={t('pages.pathHint')}
              placeholder="data.items"
              styles={mono}
              value={pagination.items ?? ''}
              onChange={(event) => set({ items: event.currentTarget.value })}
            />
            <TextInput
              label={t('pages.next')}
              error={problemAt('/pagination/next')}
              description={t('pages.pathHint')}
              placeholder="meta.next_cursor"
              styles={mono}
              value={pagination.next ?? ''}
              onChange={(event) => set({ next: event.currentTarget.value })}
            />
          </>
        )}
        <Switch
          label={t('pages.longRunning')}
          description={t('pages.longRunningHint')}
          checked={operation.longRunning ?? false}
          onChange={(event) => onChange({ longRunning: event.currentTarget.checked || undefined })}
        />
      </Stack>
    </Panel>
  );
}
