import { Alert, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { messageOf, ProblemError } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { toastDone } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';
import { schemaOfInputs } from './schema-of-inputs.ts';
import { SchemaInput } from './SchemaInput.tsx';

interface SaveAsToolProps {
  readonly server: Server;
  readonly code: string;
  readonly onClose: () => void;
}

const fields = ['/name', '/description'];

/** Asks for a name and description, and saves a script as a tool of its server. */
export default function SaveAsTool({ server, code, onClose }: SaveAsToolProps) {
  const t = useText();
  const [, go] = useLocation();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [inputSchema, setSchema] = useState<Record<string, unknown>>(() => schemaOfInputs(code));
  const create = useChange('POST', '/composed-tools', ['/composed-tools', '/servers/:server/cost']);
  const problems = create.error instanceof ProblemError ? create.error.problems : [];
  const at = (path: string) => problems.find((problem) => problem.path === path)?.message ?? null;
  const isElsewhere = create.error !== null && !problems.some(({ path }) => fields.includes(path));
  const submit = () =>
    create.mutate(
      { body: { server: server.id, name, description, inputSchema, code } },
      {
        onSuccess: (tool) => {
          toastDone(t('composed.savedDone', { name: tool.name }));
          go(`/composed/${tool.id}`);
        },
      },
    );
  return (
    <Modal opened onClose={onClose} title={t('composed.saveAs')} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t('composed.saveAsLead', { server: server.name })}
          </Text>
          <TextInput
            label={t('common.name')}
            placeholder="monthly_report"
            required
            data-autofocus
            maxLength={64}
            styles={mono}
            value={name}
            error={at('/name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label={t('common.description')}
            description={t('tools.descriptionHint')}
            required
            autosize
            minRows={2}
            maxRows={8}
            value={description}
            error={at('/description')}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <SchemaInput value={inputSchema} onChange={setSchema} />
          {isElsewhere && <Alert color="red">{messageOf(create.error)}</Alert>}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
