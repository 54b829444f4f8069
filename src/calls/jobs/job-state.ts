import { lettersOf } from '../../domain/pages/guess-pagination.ts';
import { isObject, type PlainObject } from '../../lib/json/plain-object.ts';
import type { Reply } from '../../pipeline/types.ts';

/** How a job stands: what the API calls it, where it calls it anything. */
export interface JobState {
  readonly is: 'running' | 'done' | 'failed';
  readonly called: string | null;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(','));
const stateNames = words(
  'status,state,jobstatus,jobstate,provisioningstate,phase,operationstatus,taskstatus,runstatus,processingstatus,executionstatus',
);
const endNames = words('done,finished,completed,complete,iscomplete,isdone,iscompleted,isfinished');
const holders = words(
  'properties,job,operation,task,data,result,attributes,run,execution,export,import,resource',
);
const running = words(
  'running,pending,queued,inprogress,processing,accepted,creating,created,started,starting,notstarted,waiting,scheduled,working,active,updating,deleting,provisioning,submitted,initializing,initialized,validating,enqueued,preparing,building,deploying,executing,inqueue,ongoing,planned,paused,retrying,uploading,importing,exporting,finalizing,new,open,received,cancelling,canceling',
);
const failed = words(
  'failed,failure,fail,error,errored,cancelled,canceled,aborted,rejected,timedout,timeout,expired,terminated,crashed,killed,denied',
);

/** Reads how a job stands from a reply about it. What says nothing of being under way is the end. */
export function readJobState({ status }: Pick<Reply, 'status'>, value: unknown): JobState {
  // Some tell of one job as a list of one.
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const told = isObject(one) ? stateIn(one) : undefined;
  if (status === 202) return { is: 'running', called: told?.called ?? null };
  return told ?? { is: 'done', called: null };
}

function stateIn(value: PlainObject): JobState | undefined {
  const inner = Object.entries(value).flatMap(([key, one]) =>
    isObject(one) && holders.has(lettersOf(key)) ? [one] : [],
  );
  const looked = [value, ...inner];
  for (const holder of looked)
    for (const [key, said] of Object.entries(holder)) {
      if (typeof said === 'string' && stateNames.has(lettersOf(key))) return byWord(said);
      if (typeof said === 'boolean' && endNames.has(lettersOf(key)))
        return { is: said ? (isObject(holder['error']) ? 'failed' : 'done') : 'running', called: null };
    }
  return undefined;
}

function byWord(said: string): JobState {
  const called = said.slice(0, 60);
  const letters = lettersOf(called);
  return { is: running.has(letters) ? 'running' : failed.has(letters) ? 'failed' : 'done', called };
}
