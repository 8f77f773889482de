import type { Hidden } from '../../base/hidden.ts'
import { probeRedis } from '../../cluster/index.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const WITHIN_MS = 3_000
const OLDEST_MAJOR = 7

/** Whether Redis answers, is new enough, and keeps what it is told. */
export async function checkRedis(url: Hidden): Promise<Finding[]> {
  const facts = await probeRedis(url, WITHIN_MS)
  if (typeof facts === 'string') {
    const advice = 'look whether it runs, and whether REDIS_URL fits'
    return [problem('redis', `Redis can't be reached (${facts})`, advice)]
  }
  const { version, forgets } = facts
  if (Number.parseInt(version, 10) < OLDEST_MAJOR) {
    const advice = `use Redis or Valkey ${OLDEST_MAJOR} or newer`
    return [problem('redis', `Redis ${version} is too old`, advice)]
  }
  if (forgets) {
    const message = 'Redis throws out keys when its memory is full: limits would be forgotten'
    return [warning('redis', message, 'set its maxmemory-policy to noeviction')]
  }
  return [ok('redis', `Redis ${version} answers`)]
}
