export { classify, type Reason, type Verdict } from './classify.ts'
export {
  type CounterStore,
  createClickCounter,
  type DeletedLinks,
} from './counting.ts'
export { type Journal, type JournalOptions, openJournal } from './journal.ts'
export { type ClickLimits, clicksThisMonth, readCounted } from './months.ts'
export { countedInPostgres, countedInSqlite, createPeopleSoFar } from './people.ts'
export { createPostgresCounters } from './postgres-counters.ts'
export { type ClickRecord, encodeRecord, HOW, RECORD_VERSION } from './record.ts'
export { createRecorder, type Recorder, type Visit } from './recorder.ts'
export { openSharedVisitors, type SharedVisitors } from './salts.ts'
export { journalDirectory, listSegments, type Position, segmentFile } from './segments.ts'
export { openSqliteCounters } from './sqlite-counters.ts'
export { createTrimmer, type Trimmer, type TrimmerOptions } from './trim.ts'
export { openVisitors, type Visitors } from './visitors.ts'
