export {
  AppError,
  type AppErrorArgs,
  type AppErrorOptions,
  boundedDetails,
  DETAILS_MAX,
  type ErrorDetail,
  invalid,
  newerData,
  OperatorError,
  oldData,
} from './app-error.ts'
export {
  DETAIL_CODES,
  DETAILS,
  type DetailCode,
  ERROR_CODES,
  ERRORS,
  type ErrorCode,
  type ErrorParam,
  PUBLIC_DETAIL_CODES,
  PUBLIC_ERROR_CODES,
} from './catalogue.ts'
export { describeError, type ErrorParts, type Rendered, renderError } from './render.ts'
