import { Button, Group, Menu, Text, TextInput } from '@mantine/core';
import { Power, PowerOff, Tag, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { request } from '../../api/client.ts';
import { useChange } from '../../api/queries.ts';
import type { ToolLine } from '../../api/resources.ts';
import type { BodyOf, RouteAt } from '../../api/routes.ts';
import { affectedText } from '../../components/feedback/affected.ts';
import { confirm } from '../../components/feedback/confirm.ts';
import layout from '../../components/Layout.module.css';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { AddToServer } from './AddToServer.tsx';

type Change = Omit<BodyOf<RouteAt<'POST', '/tools/bulk'>>, 'tools'>;

/** What takes a change back, for exactly the tools that it changes; null for a change of none, and for deleting. */
function undoOf(lines: readonly ToolLine[], change: Change): BodyOf<RouteAt<'POST', '/tools/bulk'>> | null {
  const { enabled, addTags, removeTags } = change;
  const has = (line: ToolLine, tags: readonly string[]) => tags.every((tag) => line.tags.includes(tag));
  const changing = lines.filter((line) => {
    if (enabled !== undefined) return line.enabled !== enabled;
    if (addTags) return !has(line, addTags);
    return removeTags !== undefined && has(line, removeTags);
  });
  if (changing.length === 0) return null;
  return {
    tools: changing.map(({ id }) => id),
    ...(enabled !== undefined && { enabled: !enabled }),
    ...(addTags && { removeTags: addTags }),
    ...(removeTags && { addTags: removeTags }),
  };
}

/** Actions for all selected tools. */
export default function BulkBar({ chosen, onDone }: { chosen: readonly ToolLine[]; onDone: () => void }) {
  const t = useText();
  const queries = useQueryClient();
  const [tag, setTag] = useState('');
  const ids = chosen.map(({ id }) => id);
  const change = useChange('POST', '/tools/bulk', [
    '/tool-index',
    '/tools',
    '/tools/:tool',
    '/apis',
    '/servers',
  ]);
  const apply = (body: Change) => {
    const undo = undoOf(chosen, body);
    // This bar is gone by then.
    const run = () =>
      void request('POST', '/tools/bulk', { body: undo! })
        .catch(toastProblem)
        .finally(() => void queries.invalidateQueries());
    change.mutate(
      { body: { tools: ids, ...body } },
      {
        onSuccess: ({ changed }) => {
          toastDone(
            t('tools.changed', { count: changed }),
            undo === null ? undefined : { name: t('common.undo'), run },
          );
          onDone();
        },
        onError: toastProblem,
      },
    );
  };
  const onDelete = async () => {
    const affected = await affectedText(t, { tools: ids });
    if (
      await confirm({
        title: t('tools.deleteTitle', { count: chosen.length }),
        text: `${affected} ${t('tools.deleteText')}`,
        action: t('common.delete'),
      })
    )
      apply({ delete: true });
  };
  return (
    <div className={layout.bar} role="region" aria-label={t('tools.bulk')}>
      <Text size="sm" fw={600} mr="auto">
        {t('tools.selected', { count: chosen.length })}
      </Text>
      <Group gap="xs">
        <AddToServer chosen={new Set(ids)} onDone={onDone} />
        <Button
          size="xs"
          variant="default"
          leftSection={<Power size={14} aria-hidden />}
          loading={change.isPending}
          onClick={() => apply({ enabled: true })}
        >
          {t('common.enable')}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<PowerOff size={14} aria-hidden />}
          loading={change.isPending}
          onClick={() => apply({ enabled: false })}
        >
          {t('common.disable')}
        </Button>
        <Menu closeOnItemClick={false}>
          <Menu.Target>
            <Button size="xs" variant="default" leftSection={<Tag size={14} aria-hidden />}>
              {t('common.tag')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown p="sm">
            <TextInput
              size="xs"
              aria-label={t('common.tag')}
              placeholder={t('common.tag')}
              value={tag}
              onChange={(event) => setTag(event.currentTarget.value)}
            />
            <Group gap={6} mt={8}>
              <Button
                size="compact-xs"
                disabled={tag.trim() === ''}
                onClick={() => apply({ addTags: [tag.trim()] })}
              >
                {t('common.add')}
              </Button>
              <Button
                size="compact-xs"
                variant="default"
                disabled={tag.trim() === ''}
                onClick={() => apply({ removeTags: [tag.trim()] })}
              >
                {t('common.remove')}
              </Button>
            </Group>
          </Menu.Dropdown>
        </Menu>
        <Button
          size="xs"
          variant="light"
          color="red"
          leftSection={<Trash2 size={14} aria-hidden />}
          loading={change.isPending}
          onClick={() => void onDelete()}
        >
          {t('common.delete')}
        </Button>
      </Group>
    </div>
  );
}
