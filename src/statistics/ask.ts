import { AppError } from '../errors/index.ts'
import { StatisticsUnavailable } from './types.ts'

/** After how many seconds a client should retry when statistics are unavailable. */
const RETRY_SECONDS = 5

/** The answer to a question. @throws AppError SERVICE_UNAVAILABLE for StatisticsUnavailable */
export async function ask<T>(question: Promise<T>): Promise<T> {
  try {
    return await question
  } catch (error) {
    if (!(error instanceof StatisticsUnavailable)) throw error
    throw new AppError('SERVICE_UNAVAILABLE', {
      headers: { 'Retry-After': String(RETRY_SECONDS) },
      cause: error,
    })
  }
}
