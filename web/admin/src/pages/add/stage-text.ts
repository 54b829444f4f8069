import type { ImportJob } from '../../api/resources.ts';

/** What a running import does now. A plan is worked out in the stage in which changes would be made. */
export const stageText = ({ stage, dryRun }: ImportJob) =>
  stage === 'applying' && dryRun ? 'add.stage.planning' : (`add.stage.${stage}` as const);
