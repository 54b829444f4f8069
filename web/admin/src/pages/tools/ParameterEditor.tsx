import {
  Badge,
  Button,
  Collapse,
  Group,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { ChevronDown, EyeOff, Pin, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Parameter } from '../../api/resources.ts';
import { EditableFields, RequireRole } from '../../app/account/permissions.tsx';
import { JsonText } from '../../arguments/ArgumentsForm.tsx';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import styles from './ParameterEditor.module.css';

interface ParameterEditorProps {
  readonly parameters: readonly Parameter[];
  readonly onChange: (parameters: Parameter[]) => void;
}

/** The parameters of a tool: rename, describe, fix to a value, or hide from the model. */
export function ParameterEditor({ parameters, onChange }: ParameterEditorProps) {
  const t = useText();
  const [open, setOpen] = useState<number | null>(null);
  const add = () => {
    onChange([
      ...parameters,
      { name: 'parameter', in: 'query', required: false, schema: { type: 'string' } },
    ]);
    setOpen(parameters.length);
  };
  return (
    <Panel
      flush
      title={t('tools.parameters')}
      lead={t('tools.parametersLead')}
      actions={
        <RequireRole>
          {' '}
          <Button size="xs" variant="default" leftSection={<Plus size={14} aria-hidden />} onClick={add}>
            {t('tools.addParameter')}
          </Button>
        </RequireRole>
      }
    >
      {parameters.length === 0 && (
        <Text p="lg" c="dimmed">
          {t('tools.noParameters')}
        </Text>
      )}
      {parameters.map((parameter, at) => (
        <div key={at} className={styles.parameter}>
          <UnstyledButton
            className={styles.line}
            aria-expanded={open === at}
            onClick={() => setOpen(open === at ? null : at)}
          >
            <code className={styles.name}>{parameter.name}</code>
            <Badge color="gray">{parameter.in}</Badge>
            {parameter.required && <Badge>{t('tools.required')}</Badge>}
            {parameter.fixed !== undefined && (
              <Badge color="violet" leftSection={<Pin size={11} aria-hidden />}>
                {t('tools.fixed')}
              </Badge>
            )}
            {parameter.hidden && (
              <Badge color="orange" leftSection={<EyeOff size={11} aria-hidden />}>
                {t('tools.hidden')}
              </Badge>
            )}
            <span className={styles.note}>{parameter.description}</span>
            <ChevronDown
              size={16}
              className={styles.arrow}
              data-open={open === at || undefined}
              aria-hidden
            />
          </UnstyledButton>
          <Collapse expanded={open === at}>
            {open === at && (
              <EditableFields>
                {' '}
                <ParameterFields
                  parameter={parameter}
                  onChange={(next) =>
                    onChange(parameters.map((entry, index) => (index === at ? next : entry)))
                  }
                  onRemove={() => {
                    onChange(parameters.filter((_, index) => index !== at));
                    setOpen(null);
                  }}
                />
              </EditableFields>
            )}
          </Collapse>
        </div>
      ))}
    </Panel>
  );
}

function ParameterFields({
  parameter,
  onChange,
  onRemove,
}: {
  parameter: Parameter;
  onChange: (parameter: Parameter) => void;
  onRemove: () => void;
}) {
  const t = useText();
  const set = (changes: Partial<Parameter>) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...parameter, ...changes }).filter(([, value]) => value !== undefined),
      ) as Parameter,
    );
  return (
    <Stack gap="md" className={styles.fields}>
      <div className={layout.fields}>
        <TextInput
          label={t('tools.parameterName')}
          value={parameter.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <TextInput
          label={t('tools.wireName')}
          placeholder={parameter.name}
          value={parameter.key ?? ''}
          onChange={(event) => set({ key: event.currentTarget.value || undefined })}
        />
        <Select
          label={t('tools.sentIn')}
          allowDeselect={false}
          data={['path', 'query', 'header', 'cookie', 'body']}
          value={parameter.in}
          onChange={(place) => place && set({ in: place })}
        />
      </div>
      <Textarea
        label={t('common.description')}
        autosize
        minRows={2}
        maxRows={8}
        value={parameter.description ?? ''}
        onChange={(event) => set({ description: event.currentTarget.value || undefined })}
      />
      <Group gap="xl">
        <Switch
          label={t('tools.required')}
          checked={parameter.required}
          onChange={(event) => set({ required: event.currentTarget.checked })}
        />
        <Switch
          label={t('tools.hidden')}
          checked={parameter.hidden ?? false}
          onChange={(event) => set({ hidden: event.currentTarget.checked || undefined })}
        />
      </Group>
      <div className={layout.fields}>
        <JsonText
          label={t('tools.fixedValue')}
          description={t('tools.fixedHint')}
          value={parameter.fixed}
          onChange={(fixed) => set({ fixed: fixed as Parameter['fixed'] })}
        />
        <JsonText
          label={t('tools.defaultValue')}
          description={t('tools.defaultHint')}
          value={parameter.default}
          onChange={(value) => set({ default: value as Parameter['default'] })}
        />
      </div>
      <JsonText
        label={t('tools.schema')}
        value={parameter.schema}
        onChange={(schema) => set({ schema: schema as Parameter['schema'] })}
      />
      <Button
        variant="light"
        color="red"
        size="xs"
        w="fit-content"
        leftSection={<Trash2 size={14} aria-hidden />}
        onClick={onRemove}
      >
        {t('common.remove')}
      </Button>
    </Stack>
  );
}
