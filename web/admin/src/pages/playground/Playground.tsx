import { Button, Tabs } from '@mantine/core';
import { Bot, Server as ServerIcon } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { useAll } from '../../api/queries.ts';
import type { Model, Server } from '../../api/resources.ts';
import { useTab } from '../../app/use-tab.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import { Chat } from './Chat.tsx';
import { Checks } from './Checks.tsx';
import { Models } from './Models.tsx';
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
  const server = enabled.find(({ slug }) => slug === search.get('server')) ?? enabled[0];
  const model = models.find(({ id }) => id === search.get('model')) ?? models[0];
  const choose = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
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
            onChange={(slug) => choose('server', slug)}
          />
        )}
        {model && (
          <SelectInput<string>
            w={200}
            required
            name={t('playground.model')}
            options={models.map(({ id, name }) => ({ value: id, label: name }))}
            value={model.id}
            onChange={(id) => choose('model', id)}
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
                  action={<Button onClick={() => setTab('models')}>{t('playground.addModel')}</Button>}
                />
              </Panel>
            ) : name === 'chat' ? (
              <Chat key={server.slug} server={server} model={model} />
            ) : (
              <Checks key={server.slug} server={server} model={model} />
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
