import { Button, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import type { Api } from '../../api/resources.ts';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';

/** The variables in an API's server URL. Saving them updates the base URL. */
export function ServerVariables({ api }: { api: Api }) {
  const t = useText();
  const { url, variables } = api.serverTemplate!;
  const [changed, setChanged] = useState<Record<string, string>>({});
  const update = useChange('PATCH', '/apis/:api', ['/apis', '/apis/:api']);
  const set = (name: string, value: string) => setChanged({ ...changed, [name]: value });
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        {t('variables.hint')} <code>{url}</code>
      </Text>
      {Object.entries(variables).map(([name, { value, allowed, description }]) =>
        allowed ? (
          <Select
            key={name}
            label={name}
            description={description}
            allowDeselect={false}
            data={[...allowed]}
            value={changed[name] ?? value}
            onChange={(text) => set(name, text ?? '')}
          />
        ) : (
          <TextInput
            key={name}
            label={name}
            description={description}
            value={changed[name] ?? value}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        ),
      )}
      {Object.keys(changed).length > 0 && (
        <Button
          variant="light"
          size="xs"
          w="fit-content"
          loading={update.isPending}
          onClick={() =>
            update.mutate(
              { params: { api: api.id }, body: { serverVariables: changed } },
              {
                onSuccess: () => {
                  setChanged({});
                  toastDone(t('common.saved'));
                },
                onError: toastProblem,
              },
            )
          }
        >
          {t('variables.save')}
        </Button>
      )}
    </Stack>
  );
}
