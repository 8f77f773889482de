export { createRequestCounts, type RequestCounts, type RequestMinute } from './requests.ts'
