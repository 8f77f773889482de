import { setTimeout as wait } from 'node:timers/promises'
import { readEvents } from '../../lib/base/server-events.ts'
import { CommandError } from '../context.ts'
import { BUSY_OR_AWAY, insist, type Query, type Remote } from './remote.ts'

const RECONNECT_MS = 1_000

/**
 * The data of a stream's events, without end: after a disconnect it resumes where it was, also if
 * no event had come yet.
 * @throws CommandError if the instance refuses
 */
export async function* followStream<T>(
  ask: Remote,
  path: string,
  query: Query,
): AsyncGenerator<T, never> {
  let last = ''
  const open = async () => {
    const headers = last === '' ? {} : { 'Last-Event-ID': last }
    const { body } = await ask(path, query, { headers })
    if (body === null) throw new CommandError('The answer is empty')
    return body
  }
  const reached = (id: string) => {
    last = id
  }
  for (let body = await open(); ; ) {
    try {
      for await (const { data } of readEvents(body, reached)) yield JSON.parse(data) as T
    } catch {
      // The connection was interrupted.
    }
    await wait(RECONNECT_MS)
    body = await insist(open, { codes: BUSY_OR_AWAY })
  }
}
