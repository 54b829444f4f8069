import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { defaultLimits } from '../../../domain/limits.ts';
import { updateSettings } from '../../../registry/rules/change-settings.ts';
import { settingsOf } from '../../../registry/settings.ts';
import { type settingsResource, settingsRoutes } from '../../contract/settings.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';

/** The settings of the whole installation. */
export function bindSettings({ registry, config, store, version }: AppContext): BoundRoute[] {
  const view = async (): Promise<z.input<typeof settingsResource>> => {
    const settings = settingsOf(registry.snapshot.settings);
    return {
      egressAllow: [...(settings.egressAllow ?? [])],
      limits: { ...settings.limits },
      retentionDays: settings.retentionDays ?? config.retentionDays,
      contentRetentionDays: settings.contentRetentionDays ?? config.contentRetentionDays,
      auditRetentionDays: settings.auditRetentionDays ?? config.auditRetentionDays,
      passwordSignIn: settings.passwordSignIn ?? 'everyone',
      secondFactor: settings.secondFactor ?? 'optional',
      recordContents: settings.recordContents ?? config.recordContents,
      revision: settings.revision,
      fromEnvironment: {
        egressAllow: [...config.egressAllow],
        retentionDays: config.retentionDays,
        contentRetentionDays: config.contentRetentionDays,
        auditRetentionDays: config.auditRetentionDays,
        recordContents: config.recordContents,
        publicUrl: config.publicUrl ?? null,
        host: config.host,
        version,
        program: [process.execPath, fileURLToPath(new URL('../../../main.js', import.meta.url))],
        database: store.kind,
      },
      effectiveLimits: { ...defaultLimits, ...settings.limits },
      keptReplies: { ...(await store.keptReplies.usage()), maxBytes: config.handleMaxBytes },
    };
  };
  return [
    bind(settingsRoutes.get, view),
    bind(settingsRoutes.update, async ({ body, expectedRevision, actor }) => {
      await registry.commit(actor, (snapshot) => updateSettings(snapshot, body, expectedRevision));
      return view();
    }),
  ];
}
