export {
  type Child,
  type ChildOptions,
  type ChildState,
  createChild,
  type Progress,
} from './child.ts'
export { classify, type Reason, type Verdict } from './classify.ts'
export { type Journal, type JournalOptions, openJournal } from './journal.ts'
export { createPeopleSoFar } from './people.ts'
export { type ClickRecord, encodeRecord, HOW, RECORD_VERSION } from './record.ts'
export { createRecorder, type Recorder, type Visit } from './recorder.ts'
export { journalDirectory, listSegments, type Position, segmentFile } from './segments.ts'
export { createSharedPeopleSoFar } from './shared/people.ts'
export { openSharedVisitors, type SharedVisitors } from './shared/visitors.ts'
export { openSharedClickWork } from './shared/work.ts'
export {
  createSupervisor,
  type Supervisor,
  type SupervisorOptions,
  type WorkerState,
} from './supervisor.ts'
export { createTrimmer, type Trimmer, type TrimmerOptions } from './trim.ts'
export { openVisitors, type Visitors } from './visitors.ts'
export { type ClickWorkerOptions, runClickWorker } from './worker.ts'
