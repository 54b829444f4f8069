import { Button, Modal, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useGet } from '../../api/queries.ts';
import type { Server } from '../../api/resources.ts';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { SearchBox } from '../../components/inputs/SearchBox.tsx';
import { useText } from '../../i18n/text.tsx';
import styles from './DialectField.module.css';

const dialects = ['strict', 'portable', 'cursor', 'gemini'] as const;
type Dialect = (typeof dialects)[number];

/** The JSON Schema dialect for clients that support only part of it, and what that changes. */
export function DialectField({
  server,
  onChange,
}: {
  server: Server;
  onChange: (dialect: Dialect | undefined) => void;
}) {
  const t = useText();
  const [looking, setLooking] = useState<Dialect | null>(null);
  const chosen = dialects.find((dialect) => dialect === server.dialect);
  return (
    <div>
      <Select
        label={t('servers.dialect')}
        description={t('servers.dialectHint')}
        placeholder={t('servers.dialectAuto')}
        clearable
        data={dialects.map((value) => ({ value, label: t(`servers.dialect.${value}`) }))}
        value={server.dialect ?? null}
        onChange={(name) => onChange(dialects.find((dialect) => dialect === name))}
      />
      <Button variant="subtle" size="compact-sm" mt={6} onClick={() => setLooking(chosen ?? 'portable')}>
        {t('servers.dialectSee')}
      </Button>
      {looking && <DialectChanges server={server} first={looking} onClose={() => setLooking(null)} />}
    </div>
  );
}

function DialectChanges({ server, first, onClose }: { server: Server; first: Dialect; onClose: () => void }) {
  const t = useText();
  const [dialect, setDialect] = useState(first);
  const [search, setSearch] = useState('');
  const changes = useGet('/servers/:server/dialects/:dialect', { params: { server: server.id, dialect } });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('servers.dialectChanges')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        <Select
          label={t('servers.dialect')}
          allowDeselect={false}
          data={dialects.map((value) => ({ value, label: t(`servers.dialect.${value}`) }))}
          value={dialect}
          onChange={(next) => next && setDialect(next)}
        />
        <SearchBox label={t('tools.search')} value={search} onChange={setSearch} grow={false} />
        <Loaded query={changes}>
          {({ tools }) => {
            const changed = tools.filter(
              (tool) =>
                tool.changes.length > 0 && tool.name.toLowerCase().includes(search.trim().toLowerCase()),
            );
            return (
              <>
                <Text size="sm" c="dimmed">
                  {t('servers.dialectCount', {
                    changed: tools.filter((tool) => tool.changes.length > 0).length,
                    count: tools.length,
                  })}
                </Text>
                <ul className={styles.tools}>
                  {changed.slice(0, 100).map((tool) => (
                    <li key={tool.name}>
                      <b>{tool.name}</b>
                      <ul>
                        {tool.changes.map(({ path, change }, at) => (
                          <li key={at}>
                            <code>{path}</code> {change}
                          </li>
                        ))}
                      </ul>
                    </li>
                  ))}
                </ul>
              </>
            );
          }}
        </Loaded>
      </Stack>
    </Modal>
  );
}
