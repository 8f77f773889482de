import { Refused } from '../../lib/errors/index.ts'
import type { StoreState } from './store-state.ts'

/** `incomplete`: counted clicks are missing; `behind`: they are not stored in time. */
type Reason = Exclude<StoreState, 'ok' | 'opening'> | 'incomplete' | 'behind'

const MESSAGES: Record<Reason, string> = {
  locked: 'Another process has the statistics open and does not answer. Try again in a minute.',
  corrupt: 'The statistics file is damaged: bin/slugline doctor says more. Nothing was changed.',
  full: 'There is no space left on the disk. Nothing was changed.',
  migrating: 'The stored clicks are migrated to this version. Try again when that is over.',
  newer:
    'The stored clicks are of a newer version of Slugline. Use that version. Nothing was changed.',
  failed: "The statistics file can't be read: bin/slugline doctor says more. Nothing was changed.",
  incomplete:
    'The statistics lack clicks that are counted, so nothing can be compared. Nothing was changed.',
  behind: 'Clicks are still being stored. Try again when the backlog is gone.',
}

/** The stored clicks can't be read, or are not complete. */
export function clicksUnavailable(reason: Reason, options?: ErrorOptions): Refused {
  return new Refused(`STATISTICS_${reason.toUpperCase()}`, MESSAGES[reason], options)
}
