import { Button, Tabs } from '@mantine/core';
import { EllipsisVertical, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { RequireRole } from '../app/account/permissions.tsx';
import { useTab } from '../app/use-tab.ts';
import { SaveBar } from '../editing/SaveBar.tsx';
import type { Draft } from '../editing/use-draft.tsx';
import { useText } from '../i18n/text.tsx';
import { ActionMenu } from './ActionMenu.tsx';
import { affectedText, type Going } from './feedback/affected.ts';
import { confirm } from './feedback/confirm.ts';
import { Page } from './Page.tsx';

interface DetailTab {
  readonly id: string;
  readonly name: string;
  readonly content: ReactNode;
}

interface DetailPageProps<T> {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly parent: { readonly href: string; readonly label: string };
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
  /** Confirmed before deleting. */
  readonly deletion: {
    readonly title: string;
    readonly text: string;
    /** What the confirmation looks up who uses it. */
    readonly affects?: Going;
    readonly run: () => void;
  };
  readonly draft: Draft<T>;
  /** The first tab is open initially. */
  readonly tabs: readonly [DetailTab, ...DetailTab[]];
  readonly wide?: boolean;
  /** Shown above the tabs. */
  readonly children?: ReactNode;
}

// The tabs can be wider than a phone screen.
const showTab = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

/** The page of one item that can be edited: an API, a tool, a server. */
export function DetailPage<T>({ actions, deletion, draft, tabs, children, ...frame }: DetailPageProps<T>) {
  const t = useText();
  const [tab, setTab] = useTab(tabs[0].id);
  const onDelete = async () => {
    const { title, affects, run } = deletion;
    const text = [affects && (await affectedText(t, affects)), deletion.text].filter(Boolean).join(' ');
    if (await confirm({ title, text, action: t('common.delete') })) run();
  };
  return (
    <Page
      {...frame}
      edits="editor"
      actions={
        <>
          {actions}
          <RequireRole>
            <ActionMenu
              button={
                <Button variant="default" px={9} aria-label={t('common.more')}>
                  <EllipsisVertical size={16} aria-hidden />
                </Button>
              }
              actions={[
                {
                  name: t('common.delete'),
                  icon: Trash2,
                  destructive: true,
                  onChoose: () => void onDelete(),
                },
              ]}
            />
          </RequireRole>
        </>
      }
    >
      {children}
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="lg">
          {tabs.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id} ref={id === tab ? showTab : null}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ id, content }) => (
          <Tabs.Panel key={id} value={id}>
            {content}
          </Tabs.Panel>
        ))}
      </Tabs>
      <SaveBar draft={draft} />
    </Page>
  );
}
