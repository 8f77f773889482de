export { AppError, type AppErrorArgs, type AppErrorOptions, type ErrorDetail } from './app-error.ts'
export {
  DETAIL_CODES,
  DETAILS,
  type DetailCode,
  type DetailParams,
  ERROR_CODES,
  ERRORS,
  type ErrorCode,
  type ErrorParam,
  type ErrorParams,
  PUBLIC_DETAIL_CODES,
  PUBLIC_ERROR_CODES,
} from './catalogue.ts'
export { Refused } from './refused.ts'
export { type ErrorView, type Rendered, renderError } from './render.ts'
