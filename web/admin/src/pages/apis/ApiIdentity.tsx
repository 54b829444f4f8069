import { MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import type { Api } from '../../api/resources.ts';
import { KeyValueInput } from '../../components/inputs/KeyValueInput.tsx';
import { Panel } from '../../components/Panel.tsx';
import { textOrNone } from '../../editing/empty-as-null.ts';
import type { Draft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';

type Identity = NonNullable<Api['identity']>;
type Claim = NonNullable<Identity['claims']>[number];

const known: Readonly<Record<Claim, true>> = {
  sub: true,
  kind: true,
  name: true,
  email: true,
  groups: true,
  role: true,
  issuer: true,
  subject: true,
  server: true,
};
const identityClaims = Object.keys(known);

/** How calls to an API say who is calling: a signed token, and plain headers. */
export function ApiIdentity({ draft }: { draft: Draft<Api> }) {
  const t = useText();
  const identity: Identity = draft.value.identity ?? {};
  const change = (patch: { [K in keyof Identity]?: Identity[K] | undefined }) => {
    const next = Object.fromEntries(
      Object.entries({ ...identity, ...patch }).filter(([, value]) => value !== undefined),
    ) as Identity;
    const isEmpty = next.header === undefined && Object.keys(next.headers ?? {}).length === 0;
    draft.set({
      identity: isEmpty && next.audience === undefined && !next.claims?.length ? undefined : next,
    });
  };
  return (
    <Panel title={t('apis.identity')} lead={t('apis.identityHint')}>
      <Stack gap="md">
        <TextInput
          label={t('apis.identityHeader')}
          description={t('apis.identityHeaderHint', { url: `${window.location.origin}/oauth/jwks` })}
          placeholder="X-Identity"
          value={identity.header ?? ''}
          error={draft.problemAt('/identity') ?? draft.problemAt('/identity/header')}
          onChange={(event) => change({ header: textOrNone(event.currentTarget.value) })}
        />
        {identity.header !== undefined && (
          <>
            <TextInput
              label={t('apis.identityAudience')}
              description={t('apis.identityAudienceHint')}
              value={identity.audience ?? ''}
              onChange={(event) => change({ audience: textOrNone(event.currentTarget.value) })}
            />
            <MultiSelect
              label={t('apis.identityClaims')}
              data={identityClaims.filter((claim) => claim !== 'sub')}
              value={[...(identity.claims ?? [])]}
              onChange={(claims) =>
                change({ claims: claims.length === 0 ? undefined : (claims as Identity['claims']) })
              }
            />
          </>
        )}
        <Stack gap={4} role="group" aria-label={t('apis.identityHeaders')}>
          <Text size="sm" fw={600}>
            {t('apis.identityHeaders')}
          </Text>
          <Text size="sm" c="dimmed">
            {t('apis.identityHeadersHint', { claims: identityClaims.join(', ') })}
          </Text>
          <KeyValueInput
            value={identity.headers ?? {}}
            onChange={(headers) =>
              change({
                headers:
                  Object.keys(headers).length === 0
                    ? undefined
                    : (headers as NonNullable<Identity['headers']>),
              })
            }
            nameLabel={t('common.header')}
          />
        </Stack>
      </Stack>
    </Panel>
  );
}
