export { isBotAgent } from './classify.ts'
export { type Journal, type JournalOptions, openJournal } from './journal.ts'
export { createPeopleSoFar } from './people.ts'
export { HOW } from './record.ts'
export { createRecorder, type Recorder, type Visit } from './recorder.ts'
export { journalDirectory, type Position } from './segments.ts'
export {
  createSupervisor,
  type Supervisor,
  type SupervisorOptions,
  type WorkerState,
} from './supervisor.ts'
export { openVisitors, type Visitors } from './visitors.ts'
export { type ClickWorkerOptions, runClickWorker } from './worker.ts'
