import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { ReplyOf, RouteAt } from '../../api/routes.ts';
import { CodeBlock } from '../../components/display/CodeBlock.tsx';
import { OutcomeBadge } from '../../components/display/OutcomeBadge.tsx';
import { useOutcomeText } from '../../components/display/outcomes.ts';
import { ResultView } from '../../components/display/ResultView.tsx';
import { Stat, Stats } from '../../components/display/Stat.tsx';
import { Panel } from '../../components/Panel.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';
import { Waterfall } from '../calls/Waterfall.tsx';

export type Run = ReplyOf<RouteAt<'POST', '/servers/:server/run'>>;

/** The result of a run in one line. */
export function RunSummary({ run }: { run: Run }) {
  const t = useText();
  const format = useFormats();
  return (
    <Group gap="sm">
      <OutcomeBadge outcome={run.ok ? 'ok' : (run.error?.code ?? 'error')} />
      <Text size="sm" c="dimmed">
        {format.duration(run.durationMs)}
      </Text>
      <Button component={Link} href={`/calls/${run.runId}`} variant="subtle" size="compact-sm">
        {t('code.record')}
      </Button>
    </Group>
  );
}

/** What a script returned or why it failed, and what it printed. */
export function RunResult({ run, onGoToLine }: { run: Run; onGoToLine: (line: number) => void }) {
  const t = useText();
  const { error } = run;
  return (
    <Stack gap="md">
      {error && (
        <Alert color="red" title={t('code.failed')}>
          <Text size="sm">{error.message}</Text>
          {error.line !== undefined && (
            <Anchor
              component="button"
              c="inherit"
              underline="always"
              size="sm"
              mt={6}
              onClick={() => onGoToLine(error.line!)}
            >
              {t('code.goToLine', { line: error.line })}
            </Anchor>
          )}
        </Alert>
      )}
      {run.ok &&
        (run.result === '' ? (
          <Text c="dimmed">{t('code.nothing')}</Text>
        ) : (
          <ResultView content={[{ type: 'text', text: run.result }]} label={t('code.result')} />
        ))}
      <Notes name={t('code.printed')} lines={run.printed} />
      <Notes name={t('code.shown')} lines={run.shown} />
    </Stack>
  );
}

function Notes({ name, lines }: { name: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        {name}
      </Text>
      <CodeBlock text={lines.join('\n')} label={name} maxHeight={260} />
    </div>
  );
}

/** Tokens a model reads with the script, compared with the same calls made one by one. */
export function RunTokens({ run }: { run: Run }) {
  const t = useText();
  const format = useFormats();
  const { result, direct } = run.tokens;
  const saved = direct - result;
  return (
    <Stats>
      <Stat name={t('code.read')} value={t('common.tokens', { count: format.number(result) })} />
      <Stat name={t('code.direct')} value={t('common.tokens', { count: format.number(direct) })} />
      <Stat
        name={t('code.saved')}
        value={saved > 0 ? format.percent(saved / direct) : '–'}
        {...(saved > 0 && { tone: 'good' as const })}
        note={saved > 0 ? t('code.savedNote', { count: saved }) : t('code.savedNone')}
      />
      <Stat name={t('code.used')} value={format.duration(run.cpuMs)} note={format.bytes(run.memoryBytes)} />
    </Stats>
  );
}

/** The calls of a run, to scale. */
export function RunCalls({ run }: { run: Run }) {
  const t = useText();
  const outcomeText = useOutcomeText();
  const steps = run.calls.map(({ callId, tool, startMs, durationMs, outcome }) => ({
    name: tool.replace(/^tools\./, ''),
    startMs,
    durationMs: durationMs ?? Math.max(0, run.durationMs - startMs),
    note: outcome == null ? t('code.unknown') : outcomeText(outcome),
    href: `/calls/${callId}`,
  }));
  return (
    <Panel title={t('code.calls')} lead={t('calls.count', { count: steps.length })}>
      {steps.length === 0 ? (
        <Text c="dimmed">{t('code.noCalls')}</Text>
      ) : (
        <Waterfall call={{ steps, durationMs: run.durationMs, upstreamMs: null }} />
      )}
    </Panel>
  );
}
