import { Modal } from '@mantine/core';
import { useGet } from '../../api/queries.ts';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { useText } from '../../i18n/text.tsx';
import { CredentialForm } from './CredentialForm.tsx';

/** The credential form of one API, in a dialog. */
export default function CredentialDialog({ api: slug, onClose }: { api: string; onClose: () => void }) {
  const t = useText();
  const api = useGet('/apis/:api', { params: { api: slug } });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('credentials.add')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Loaded query={api}>{(loaded) => <CredentialForm api={loaded} onDone={onClose} />}</Loaded>
    </Modal>
  );
}
