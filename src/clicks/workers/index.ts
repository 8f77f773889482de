export type { FromWorker, Progress, ToWorker } from './messages.ts'
export { sendToParent } from './parent.ts'
export { type Pass, runWorker, type Worker, type WorkerOptions } from './run.ts'
export { Supervisor, type SupervisorOptions, type WorkerState } from './supervisor.ts'
