import { AppError } from '../errors/index.ts'
import { StatisticsUnavailable } from './types.ts'

/** How long a client is asked to wait for statistics that are away. */
const RETRY_SECONDS = 5

/** What a client is told of a question that failed. */
export function asAnswer(error: unknown): unknown {
  if (!(error instanceof StatisticsUnavailable)) return error
  return new AppError('SERVICE_UNAVAILABLE', {
    headers: { 'Retry-After': String(RETRY_SECONDS) },
    cause: error,
  })
}

/** The answer to a question. @throws AppError SERVICE_UNAVAILABLE while nobody can answer it. */
export async function ask<T>(question: Promise<T>): Promise<T> {
  try {
    return await question
  } catch (error) {
    throw asAnswer(error)
  }
}
