import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { request } from '../../api/client.ts';
import type { Api, OpenImportJob } from '../../api/resources.ts';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { PublishForm, type PublishedServer } from '../publish/PublishForm.tsx';
import { CredentialStep } from './CredentialStep.tsx';
import { ImportFinished } from './ImportFinished.tsx';

/** The steps after the tools were added. */
export const laterSteps = ['credential', 'publish', 'done'] as const;
export type LaterStep = (typeof laterSteps)[number];

interface AfterImportProps {
  readonly job: OpenImportJob;
  /** Null to find out where to begin. */
  readonly step: LaterStep | null;
  /** Which of its APIs a credential is asked for. */
  readonly at: number;
  readonly onStep: (step: LaterStep, at?: number) => void;
}

/** What follows an import: credentials, a server, the first call. */
export function AfterImport(props: AfterImportProps) {
  const { apis: slugs } = props.job;
  const apis = useQuery({
    queryKey: ['/apis/:api', 'imported', slugs],
    queryFn: () => Promise.all(slugs.map((api) => request('GET', '/apis/:api', { params: { api } }))),
  });
  return <Loaded query={apis}>{(loaded) => <Steps {...props} apis={loaded} />}</Loaded>;
}

function Steps({ job, step, at, onStep, apis }: AfterImportProps & { apis: readonly Api[] }) {
  const [published, setPublished] = useState<PublishedServer | null>(null);
  const results = job.result?.imports ?? [];
  /** Continues with the next API that may need a credential, and with publishing after the last one. */
  const toCredential = (from: number) => {
    const next = apis.findIndex(
      (api, index) =>
        index >= from &&
        !api.hasCredential &&
        (results[index]?.isNewApi === true || api.auth.kind !== 'none'),
    );
    if (next === -1) onStep('publish');
    else onStep('credential', next);
  };
  useEffect(() => {
    if (step === null) toCredential(0);
  });
  if (step === null || apis.length === 0) return null;
  if (step === 'credential')
    return <CredentialStep key={at} api={(apis[at] ?? apis[0]!).slug} onDone={() => toCredential(at + 1)} />;
  if (step === 'publish')
    return (
      <PublishForm
        name={apis[0]!.name}
        rules={apis.map(({ slug }) => ({ api: slug }))}
        onPublished={(server) => {
          setPublished(server);
          onStep('done');
        }}
        skip={() => onStep('done')}
      />
    );
  const [first] = results;
  const tool = first?.added[0] ?? first?.changed[0] ?? first?.unchanged[0];
  return <ImportFinished api={apis[0]!.slug} tool={tool?.tool ?? null} published={published} />;
}
