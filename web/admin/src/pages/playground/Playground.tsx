import { Button, Group, Tabs } from '@mantine/core';
import { Bot, Server as ServerIcon } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { useAll, useChange } from '../../api/queries.ts';
import type { Model, Server } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { useTab } from '../../app/use-tab.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import { Chat } from './Chat.tsx';
import { Checks } from './Checks.tsx';
import { ConversationList } from './ConversationList.tsx';
import { type Conversation, useConversation, useConversations } from './conversations.ts';
import { demoModel, Models } from './Models.tsx';
import styles from './Playground.module.css';

/** Lets a model use a server and shows what it does. */
export default function Playground() {
  const servers = useAll('/servers', {});
  const models = useAll('/models', {});
  return (
    <Loaded query={servers}>
      {(all) => <Loaded query={models}>{(known) => <Ready servers={all} models={known} />}</Loaded>}
    </Loaded>
  );
}

function Ready({ servers, models }: { servers: readonly Server[]; models: readonly Model[] }) {
  const t = useText();
  const [tab, setTab] = useTab('chat');
  const [search, setSearch] = useSearchParams();
  const enabled = servers.filter((one) => one.enabled);
  const conversations = useConversations().filter(({ server }) =>
    enabled.some(({ slug }) => slug === server),
  );
  const chat = search.get('chat');
  const wanted =
    search.get('server') ?? (conversations.find(({ id }) => id === chat) ?? conversations[0])?.server;
  const server = enabled.find(({ slug }) => slug === wanted) ?? enabled[0];
  const model = models.find(({ id }) => id === search.get('model')) ?? models[0];
  const choose = (changes: Readonly<Record<string, string | null>>) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes))
          if (value === null) next.delete(name);
          else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const open = ({ id, server: of }: Pick<Conversation, 'id' | 'server'>) =>
    choose({ chat: id, server: of, tab: null });
  return (
    <Page wide title={t('nav.playground')} lead={t('playground.lead')} edits="editor">
      <div className={styles.bar}>
        {server && (
          <SelectInput<string>
            w={200}
            required
            name={t('playground.server')}
            options={enabled.map(({ slug, name }) => ({ value: slug, label: name }))}
            value={server.slug}
            onChange={(slug) => choose({ server: slug, chat: null })}
          />
        )}
        {model && (
          <SelectInput<string>
            w={200}
            required
            name={t('playground.model')}
            options={models.map(({ id, name }) => ({ value: id, label: name }))}
            value={model.id}
            onChange={(id) => choose({ model: id })}
          />
        )}
      </div>
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="chat">{t('playground.chat')}</Tabs.Tab>
          <Tabs.Tab value="checks">{t('playground.checks')}</Tabs.Tab>
          <Tabs.Tab value="models">{t('playground.models')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="models">
          <Models models={models} />
        </Tabs.Panel>
        {(['chat', 'checks'] as const).map((name) => (
          <Tabs.Panel key={name} value={name}>
            {server === undefined ? (
              <Panel>
                <EmptyState
                  icon={ServerIcon}
                  title={t('playground.noServer')}
                  text={t('playground.noServerText')}
                />
              </Panel>
            ) : model === undefined ? (
              <Panel>
                <EmptyState
                  icon={Bot}
                  title={t('playground.noModel')}
                  text={t('playground.noModelText')}
                  action={<FirstModel onAdd={() => setTab('models')} />}
                />
              </Panel>
            ) : name === 'chat' ? (
              <ChatPlace
                server={server}
                model={model}
                chat={chat}
                conversations={conversations}
                onOpen={open}
              />
            ) : (
              <Checks key={server.slug} server={server} model={model} />
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

/** Adds the demo model at once, or leads to the form for a real one. */
function FirstModel({ onAdd }: { onAdd: () => void }) {
  const t = useText();
  const add = useChange('POST', '/models', ['/models']);
  const useDemo = () =>
    add.mutate({ body: { ...demoModel, name: t('playground.demoModel') } }, { onError: toastProblem });
  return (
    <RequireRole>
      <Group justify="center" gap="sm">
        <Button onClick={useDemo} loading={add.isPending} leftSection={<Bot size={16} aria-hidden />}>
          {t('playground.useDemo')}
        </Button>
        <Button variant="default" onClick={onAdd}>
          {t('playground.addModel')}
        </Button>
      </Group>
    </RequireRole>
  );
}

/** The conversations of this tab, and the one that is open. */
function ChatPlace({
  server,
  model,
  chat,
  conversations,
  onOpen,
}: {
  server: Server;
  model: Model;
  /** The id of the open one in the address, or "new". */
  chat: string | null;
  conversations: readonly Conversation[];
  onOpen: (conversation: Pick<Conversation, 'id' | 'server'>) => void;
}) {
  const conversation = useConversation(server.slug, chat);
  return (
    <div className={styles.chats} data-listed={conversations.length > 0 || undefined}>
      {conversations.length > 0 && (
        <ConversationList
          conversations={conversations}
          open={conversation}
          onOpen={onOpen}
          onNew={() => onOpen({ id: 'new', server: server.slug })}
        />
      )}
      <div className={styles.chat}>
        <Chat
          key={conversation.id}
          conversation={conversation}
          server={server}
          model={model}
          onAsk={() => onOpen(conversation)}
        />
      </div>
    </div>
  );
}
