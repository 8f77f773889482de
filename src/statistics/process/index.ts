export { statisticsFile } from './files.ts'
export { createStatistics, type Statistics } from './supervisor.ts'
