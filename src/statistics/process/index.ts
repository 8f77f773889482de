export { statisticsFile } from './files.ts'
export { answerOwner, askOwner, OWNER_COMMAND } from './owner.ts'
export { createStatistics, type Statistics } from './supervisor.ts'
