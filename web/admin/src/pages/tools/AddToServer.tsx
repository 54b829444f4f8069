import { Button, Menu } from '@mantine/core';
import { Plus, Server as ServerIcon } from 'lucide-react';
import { useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { useAll, useChange } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { chosenBy, include } from '../servers/choose-tools/tool-rules.ts';

/** Adds selected tools to an existing server, or to a new one. */
export function AddToServer({ chosen, onDone }: { chosen: ReadonlySet<string>; onDone: () => void }) {
  const t = useText();
  const [, go] = useLocation();
  const servers = useAll('/servers', {});
  const update = useChange('PATCH', '/servers/:server', [
    '/servers',
    '/servers/:server',
    '/server-costs',
    '/tool-index',
  ]);
  const add = async (server: Server) => {
    try {
      const [{ tools, revision }, { items }] = await Promise.all([
        request('GET', '/servers/:server', { params: { server: server.id } }),
        request('GET', '/tool-index', {}),
      ]);
      const before = chosenBy(tools, items);
      const added = [...chosen].filter((id) => !before.has(id));
      const rules = include(
        tools,
        added.map((tool) => ({ tool })),
        items,
      );
      if (added.length > 0)
        await update.mutateAsync({ params: { server: server.id }, body: { tools: rules }, revision });
      toastDone(t('tools.addedToServer', { count: added.length, server: server.name }));
      onDone();
    } catch (error) {
      toastProblem(error);
    }
  };
  // The default server already has every tool.
  const others = servers.data?.filter(({ slug }) => slug !== 'default') ?? [];
  return (
    <Menu>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<ServerIcon size={14} aria-hidden />}
          loading={update.isPending}
        >
          {t('tools.addToServer')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {others.map((server) => (
          <Menu.Item key={server.id} onClick={() => void add(server)}>
            {server.name}
          </Menu.Item>
        ))}
        <Menu.Item
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => go('/publish', { state: { tools: [...chosen] } })}
        >
          {t('tools.newServer')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
