import { ActionIcon, Button, Group, MultiSelect, Select, Stack, Switch, Text } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useAll } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { useText } from '../../i18n/text.tsx';

type Rules = NonNullable<Server['access']>;

const kinds = ['read', 'write', 'destructive'] as const;

/** Which groups may use a server, and which kinds of its tools. Rules for single people and tools are shown, and edited elsewhere. */
export function AccessRules({
  rules,
  onChange,
}: {
  rules: Rules | undefined;
  onChange: (rules: Rules | undefined) => void;
}) {
  const t = useText();
  const groups = useAll('/groups', {}).data ?? [];
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const replace = (at: number, rule: Rules[number]) =>
    onChange(rules?.map((each, index) => (index === at ? rule : each)));
  const unused = groups.filter(({ id }) => rules?.every((rule) => rule.group !== id));
  return (
    <Stack gap="md">
      <Switch
        label={t('accessRules.restrict')}
        description={t('accessRules.restrictHint')}
        checked={rules !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? [] : undefined)}
      />
      {rules?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t(groups.length === 0 ? 'accessRules.noGroups' : 'accessRules.noOne')}
        </Text>
      )}
      {rules?.map((rule, at) => {
        const name =
          rule.group === undefined
            ? t('accessRules.onePerson')
            : (names.get(rule.group) ?? t('accessRules.gone'));
        return (
          <Group key={rule.group ?? rule.person} gap="xs" align="flex-end" wrap="nowrap">
            <MultiSelect
              style={{ flex: 1 }}
              label={name}
              description={rule.tools && t('accessRules.onlyTools', { count: rule.tools.length })}
              placeholder={rule.kinds === undefined ? t('accessRules.anyKind') : undefined}
              data={kinds.map((kind) => ({ value: kind, label: t(`choose.kind.${kind}`) }))}
              value={[...(rule.kinds ?? [])]}
              onChange={(chosen) => {
                const { kinds: _before, ...rest } = rule;
                const next = kinds.filter((kind) => chosen.includes(kind));
                replace(at, next.length === 0 ? rest : { ...rest, kinds: next });
              }}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t('accessRules.remove', { name })}
              onClick={() => onChange(rules.filter((_each, index) => index !== at))}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        );
      })}
      {rules !== undefined && unused.length > 0 && (
        <Select
          label={t('accessRules.add')}
          leftSection={<Plus size={16} aria-hidden />}
          data={unused.map(({ id, name }) => ({ value: id, label: name }))}
          value={null}
          onChange={(group) => group !== null && onChange([...rules, { group }])}
        />
      )}
      {rules !== undefined && groups.length === 0 && (
        <Button component="a" href="/admin/people" variant="default" size="xs">
          {t('accessRules.openGroups')}
        </Button>
      )}
    </Stack>
  );
}
