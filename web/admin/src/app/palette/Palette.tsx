import { Kbd, Modal, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import {
  Activity,
  Boxes,
  CircleHelp,
  History,
  Keyboard,
  KeyRound,
  Moon,
  Power,
  Rocket,
  Search,
  Server,
  Settings,
  Sun,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { request } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { useHasRole } from '../account/permissions.tsx';
import { closePalette } from './palette-state.ts';
import styles from './Palette.module.css';
import { addPlace, places } from '../places.ts';
import { rank } from './rank.ts';
import { saveRecent, recentPlaces } from './recent.ts';
import { openShortcuts } from './Shortcuts.tsx';
import { verbOf } from './verbs.ts';

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  readonly icon: LucideIcon;
  /** The page it opens, or the action it runs. */
  readonly href?: string;
  readonly run?: () => void;
  /** The keyboard shortcut that does the same. */
  readonly keys?: readonly string[];
}

const maxShown = 18;

/** The command palette: finds pages, APIs, servers and tools, and runs common actions. */
export default function Palette() {
  const t = useText();
  return (
    <Modal.Root
      opened
      onClose={closePalette}
      size={580}
      yOffset="12vh"
      centered={false}
      // The theme's dialog defaults don't apply to dialog parts.
      lockScroll={false}
    >
      <Modal.Overlay backgroundOpacity={0.45} blur={2} />
      <Modal.Content aria-label={t('palette.open')} radius="lg">
        <Finder />
      </Modal.Content>
    </Modal.Root>
  );
}

function Finder() {
  const t = useText();
  const [, go] = useLocation();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const entries = useEntries(typed);
  useEffect(() => setAt(0), [typed]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    closePalette();
    entry.run?.();
    if (entry.href === undefined) return;
    saveRecent({ ...entry, href: entry.href });
    go(entry.href);
  };
  return (
    <div>
      <div className={styles.field}>
        <Search size={17} aria-hidden />
        <input
          data-autofocus
          className={styles.input}
          role="combobox"
          aria-expanded
          aria-controls="palette-list"
          aria-activedescendant={entries[at] && `palette-${entries[at].id}`}
          aria-label={t('palette.placeholder')}
          placeholder={t('palette.placeholder')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setAt(Math.min(at + 1, entries.length - 1));
            else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
            else if (event.key === 'Enter') choose(entries[at]);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <div
        id="palette-list"
        role="listbox"
        aria-label={t('palette.results')}
        className={styles.list}
        ref={list}
      >
        {entries.map((entry, index) => (
          <div
            key={entry.id}
            id={`palette-${entry.id}`}
            role="option"
            aria-selected={index === at}
            className={styles.entry}
            onMouseMove={() => setAt(index)}
            onClick={() => choose(entry)}
          >
            <entry.icon size={16} strokeWidth={1.8} aria-hidden />
            <span className={styles.name}>{entry.name}</span>
            <span className={styles.note}>{entry.note}</span>
            {entry.keys?.map((pressed) => (
              <Kbd key={pressed} size="xs">
                {pressed}
              </Kbd>
            ))}
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className={styles.none}>{t('palette.none')}</p>}
    </div>
  );
}

function useEntries(typed: string): Entry[] {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const apis = useGet('/apis', { query: { limit: 500 } });
  const servers = useGet('/servers', { query: { limit: 500 } });
  const wanted = useMemo(() => verbOf(typed), [typed]);
  const about = (wanted?.about ?? typed).trim().slice(0, 200);
  const tools = useGet(
    '/tools',
    { query: { limit: 8, search: about } },
    { enabled: about.length > 1 && wanted?.verb !== 'rotate', keep: true },
  );
  // What tools do, in other words than their names.
  const meant = useGet(
    '/search',
    { query: { query: about, limit: 5 } },
    { enabled: about.length > 2, keep: true },
  );
  const keys = useGet('/keys', { query: { limit: 500 } }, { enabled: wanted?.verb === 'rotate' });
  const setEnabled = useSetEnabled();
  const actions = useActions();
  const done = useMemo(() => {
    if (wanted === null) return [];
    const { verb } = wanted;
    if (verb === 'rotate')
      return (mayEdit ? (keys.data?.items ?? []) : [])
        .filter((key) => rank(key.name, wanted.about) > 0)
        .map((key): Entry => ({
          id: `rotate-${key.id}`,
          name: t('palette.rotate', { name: key.name }),
          note: t('palette.action'),
          icon: KeyRound,
          href: `/keys?rotate=${key.id}`,
        }));
    return (tools.data?.items ?? []).flatMap((tool): Entry[] => {
      const entry = { id: `${verb}-${tool.id}`, note: tool.api };
      const { id, name } = tool;
      if (verb === 'try')
        return [{ ...entry, name: t('palette.try', { name }), icon: Wrench, href: `/tools/${id}` }];
      if (verb === 'calls') {
        const href = `/calls?tool=${encodeURIComponent(name)}`;
        return [{ ...entry, name: t('palette.calls', { name }), icon: Activity, href }];
      }
      if (!mayEdit || tool.enabled === (verb === 'enable')) return [];
      const run = () => void setEnabled(tool, verb === 'enable');
      return [{ ...entry, name: t(`palette.${verb}`, { name }), icon: Power, run }];
    });
  }, [t, wanted, mayEdit, keys.data, tools.data, setEnabled]);
  return useMemo(() => {
    const isEmpty = typed.trim() === '';
    const callId = /^\s*(call_\w{10,})\s*$/.exec(typed)?.[1];
    const recent = isEmpty
      ? recentPlaces().map((place): Entry => ({ ...place, id: `recent-${place.id}`, icon: History }))
      : [];
    const all: Entry[] = [
      ...(mayEdit ? [addPlace, ...places] : places).map((place) => ({
        id: place.href,
        name: t(place.name),
        note: t('palette.page'),
        icon: place.icon,
        href: place.href,
        keys: place === addPlace ? [place.key] : ['g', place.key],
      })),
      ...actions,
      ...(apis.data?.items ?? []).map((api) => ({
        id: api.id,
        name: api.name,
        note: api.slug,
        icon: Boxes,
        href: `/apis/${api.slug}`,
      })),
      ...(servers.data?.items ?? []).map((server) => ({
        id: server.id,
        name: server.name,
        note: `/mcp/${server.slug}`,
        icon: Server,
        href: `/servers/${server.slug}`,
      })),
      ...(mayEdit && !isEmpty ? (servers.data?.items ?? []) : []).map((server) => ({
        id: `key-${server.id}`,
        name: t('palette.keyFor', { server: server.name }),
        note: t('palette.action'),
        icon: KeyRound,
        href: `/keys?for=${server.slug}`,
      })),
    ];
    const found = all
      .map((entry) => ({ entry, score: Math.max(rank(entry.name, typed), rank(entry.note, typed) - 10) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .map(({ entry }) => entry);
    const foundTools = typed.trim().length > 1 && wanted === null ? (tools.data?.items ?? []) : [];
    const meantTools = wanted === null && about.length > 2 ? (meant.data?.results ?? []) : [];
    const named = new Set(foundTools.map(({ id }) => id));
    const toolEntries = [...foundTools, ...meantTools.filter(({ id }) => !named.has(id))].map(
      (tool): Entry => ({
        id: tool.id,
        name: tool.name,
        note: tool.api,
        icon: Wrench,
        href: `/tools/${tool.id}`,
      }),
    );
    const call: Entry[] =
      callId === undefined
        ? []
        : [
            {
              id: callId,
              name: t('palette.openCall'),
              note: callId,
              icon: Activity,
              href: `/calls/${callId}`,
            },
          ];
    const docs: Entry[] = isEmpty
      ? []
      : [
          {
            id: 'docs',
            name: t('palette.docs', { words: typed.trim() }),
            note: t('page.docs'),
            icon: CircleHelp,
            run: () =>
              void window.open(`/docs/?q=${encodeURIComponent(typed.trim())}`, '_blank', 'noreferrer'),
          },
        ];
    return [...[...call, ...done, ...recent, ...found, ...toolEntries].slice(0, maxShown), ...docs];
  }, [t, typed, wanted, about, mayEdit, actions, done, apis.data, servers.data, tools.data, meant.data]);
}

/** Enables or disables a tool, and offers to undo it. */
function useSetEnabled() {
  const t = useText();
  const queries = useQueryClient();
  return useCallback(
    async function set({ id, name }: { id: string; name: string }, enabled: boolean): Promise<void> {
      try {
        await request('PATCH', '/tools/:tool', { params: { tool: id }, body: { enabled } });
        const undo = { name: t('common.undo'), run: () => void set({ id, name }, !enabled) };
        toastDone(t(enabled ? 'undo.enabled' : 'undo.disabled', { name }), undo);
      } catch (error) {
        toastProblem(error);
      }
      await queries.invalidateQueries();
    },
    [t, queries],
  );
}

/** Common actions, available on every page. */
function useActions(): readonly Entry[] {
  const t = useText();
  const mayEdit = useHasRole('editor');
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const isDark = useComputedColorScheme() === 'dark';
  return useMemo(
    () => [
      ...(mayEdit
        ? [
            {
              id: 'publish',
              name: t('servers.add'),
              note: t('palette.action'),
              icon: Rocket,
              href: '/publish',
            },
          ]
        : []),
      ...(['egress', 'signIn', 'records', 'about'] as const).map((section) => ({
        id: `settings-${section}`,
        name: t(`settings.${section}`),
        note: t('nav.settings'),
        icon: Settings,
        href: '/settings',
      })),
      {
        id: 'scheme',
        name: t(isDark ? 'palette.light' : 'palette.dark'),
        note: t('palette.action'),
        icon: isDark ? Sun : Moon,
        run: () => setColorScheme(isDark ? 'light' : 'dark'),
      },
      {
        id: 'shortcuts',
        name: t('shortcuts.title'),
        note: t('palette.action'),
        icon: Keyboard,
        run: openShortcuts,
        keys: ['?'],
      },
    ],
    [t, mayEdit, isDark, setColorScheme],
  );
}
