export type { Allowance } from './pace.ts'
export { JOB_EXAMPLE, JobListSchema, JobSchema } from './schemas.ts'
export {
  createJobService,
  JOBS_PATH,
  type JobReader,
  type JobService,
  renderJob,
} from './service.ts'
export type { JobRow } from './store.ts'
export {
  type Checkpoint,
  type Job,
  type JobHandler,
  type JobRun,
  Postponed,
  type Progress,
} from './types.ts'
