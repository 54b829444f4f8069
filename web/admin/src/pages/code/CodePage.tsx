import { Alert, Button, Group, Kbd, Loader, Text } from '@mantine/core';
import { Play, Save, Server as ServerIcon, Square, SquareTerminal, Wrench } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Link, Redirect, useLocation } from 'wouter';
import { useAll, useChange } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { useHasRole } from '../../app/account/permissions.tsx';
import { CodeEditor, type CodeEditorHandle } from '../../code/CodeEditor.tsx';
import { useScriptTools } from '../../code/use-script-tools.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import layout from '../../components/Layout.module.css';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import { saveScript, readScript } from './saved-script.ts';
import { RunCalls, RunResult, RunSummary, RunTokens } from './RunResult.tsx';

const SaveAsTool = lazy(() => import('../composed/SaveAsTool.tsx'));

/** Write a script against a server, run it, and see what it did. */
export default function CodePage({ reference }: { reference: string }) {
  const servers = useAll('/servers', {});
  return <Loaded query={servers}>{(loaded) => <Choice servers={loaded} reference={reference} />}</Loaded>;
}

function Choice({ servers, reference }: { servers: readonly Server[]; reference: string }) {
  const t = useText();
  const [, go] = useLocation();
  const server = servers.find(({ slug, id }) => slug === reference || id === reference);
  const usual = servers.find(({ mode, enabled }) => enabled && mode === 'code') ?? servers[0];
  if (reference === '' && usual !== undefined) return <Redirect to={`/code/${usual.slug}`} replace />;
  return (
    <Page
      wide
      title={t('nav.code')}
      lead={t('code.lead')}
      edits="editor"
      actions={
        servers.length > 0 && (
          <SelectInput<string>
            w={220}
            name={t('code.server')}
            required={server !== undefined}
            options={servers.map(({ slug, name }) => ({ value: slug, label: name }))}
            value={server?.slug ?? null}
            onChange={(slug) => slug !== null && go(`/code/${slug}`)}
          />
        )
      }
    >
      <ServerCode server={server} reference={reference} />
    </Page>
  );
}

function ServerCode({ server, reference }: { server: Server | undefined; reference: string }) {
  const t = useText();
  if (server === undefined)
    return reference === '' ? (
      <Nothing
        icon={ServerIcon}
        title={t('code.noServers')}
        text={t('code.noServersText')}
        action={<LinkButton href="/servers">{t('code.toServers')}</LinkButton>}
      />
    ) : (
      <Nothing
        icon={ServerIcon}
        title={t('code.noServer', { server: reference })}
        text={t('code.noServerText')}
        action={<LinkButton href="/servers">{t('code.toServers')}</LinkButton>}
      />
    );
  if (!server.enabled)
    return (
      <Nothing
        icon={SquareTerminal}
        title={t('code.disabled')}
        text={t('code.disabledText')}
        action={<LinkButton href={`/servers/${server.slug}`}>{t('code.openServer')}</LinkButton>}
      />
    );
  return <Workbench key={server.slug} server={server} />;
}

function Nothing(state: Parameters<typeof EmptyState>[0]) {
  return (
    <Panel>
      <EmptyState {...state} />
    </Panel>
  );
}

function LinkButton({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Button component={Link} href={href} variant="default">
      {children}
    </Button>
  );
}

const runKeys = /Mac|iPhone/.test(navigator.userAgent) ? '⌘ Enter' : 'Ctrl Enter';

function Workbench({ server }: { server: Server }) {
  const t = useText();
  const mayRun = useHasRole('editor');
  const { tools } = useScriptTools(server.slug);
  const [code, setCode] = useState(() => readScript(server.slug, t('code.starterComment')));
  const [ran, setRan] = useState('');
  const [isStopped, setStopped] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const editor = useRef<CodeEditorHandle>(null);
  const stopping = useRef<AbortController | null>(null);
  const change = useChange('POST', '/servers/:server/run', ['/calls']);
  // Leaving the page ends the run on the gateway too.
  useEffect(() => () => stopping.current?.abort(), []);

  const run = () => {
    if (!mayRun || change.isPending || code.trim() === '') return;
    const ending = (stopping.current = new AbortController());
    setRan(code);
    setStopped(false);
    change.mutate(
      { params: { server: server.slug }, body: { code }, signal: ending.signal },
      { onError: (error) => (ending.signal.aborted ? setStopped(true) : toastProblem(error)) },
    );
  };
  if (tools?.paths.length === 0)
    return (
      <Nothing
        icon={Wrench}
        title={t('code.noTools')}
        text={t('code.noToolsText')}
        action={<LinkButton href={`/servers/${server.slug}?tab=tools`}>{t('code.selectTools')}</LinkButton>}
      />
    );
  const done = change.isPending ? undefined : change.data;
  return (
    <div className={layout.column}>
      <div className={layout.split}>
        <Panel
          title={t('code.script')}
          actions={
            change.isPending ? (
              <Button
                color="red"
                variant="light"
                leftSection={<Square size={14} aria-hidden />}
                onClick={() => stopping.current?.abort()}
              >
                {t('code.stop')}
              </Button>
            ) : (
              mayRun && (
                <Group gap="xs">
                  <Button
                    variant="default"
                    leftSection={<Save size={15} aria-hidden />}
                    onClick={() => setSaving(true)}
                    disabled={code.trim() === ''}
                  >
                    {t('composed.saveAs')}
                  </Button>
                  <Button
                    leftSection={<Play size={15} aria-hidden />}
                    onClick={run}
                    disabled={code.trim() === ''}
                  >
                    {t('code.run')}
                  </Button>
                </Group>
              )
            )
          }
        >
          <CodeEditor
            ref={editor}
            label={t('code.scriptOf', { server: server.name })}
            value={code}
            onChange={(next) => {
              setCode(next);
              saveScript(server.slug, next);
            }}
            tools={tools}
            // After an edit, the previous result no longer applies.
            problem={code === ran ? done?.error : undefined}
            onRun={run}
          />
          {mayRun && (
            <Text size="sm" c="dimmed" mt="sm">
              <Kbd size="xs">{runKeys}</Kbd> {t('code.keys')}
            </Text>
          )}
        </Panel>
        <Panel title={t('code.result')} actions={done && <RunSummary run={done} />}>
          <div aria-live="polite" aria-busy={change.isPending}>
            {change.isPending ? (
              <Group gap="sm">
                <Loader size="sm" aria-hidden />
                <Text>{t('code.running')}</Text>
              </Group>
            ) : isStopped ? (
              <Alert color="yellow" title={t('code.stopped')}>
                <Text size="sm" mb={6}>
                  {t('code.stoppedText')}
                </Text>
                <Link
                  href={`/calls?${new URLSearchParams({ server: server.slug, tool: 'run_code' }).toString()}`}
                >
                  {t('code.stoppedLink')}
                </Link>
              </Alert>
            ) : done === undefined ? (
              <Text c="dimmed">{t('code.resultEmpty')}</Text>
            ) : (
              <RunResult run={done} onGoToLine={(line) => editor.current?.goToLine(line)} />
            )}
          </div>
        </Panel>
      </div>
      {done !== undefined && !isStopped && (
        <>
          {done.tokens.direct > 0 && <RunTokens run={done} />}
          <RunCalls run={done} />
        </>
      )}
      <Suspense>
        {isSaving && <SaveAsTool server={server} code={code} onClose={() => setSaving(false)} />}
      </Suspense>
    </div>
  );
}
