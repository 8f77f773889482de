import type { Clock } from '../lib/base/clock.ts'
import type { Ids } from '../lib/base/ids.ts'
import type { Storage } from '../platform/storage/index.ts'
import type { Cursors } from './cursor.ts'

/** What the services of a workspace's objects work with. */
export interface ServiceContext {
  storage: Storage
  clock: Clock
  ids: Ids
  cursors: Cursors
}
