import type { MessageKey } from '../../../i18n/index.tsx'

/** What can be saved: views of the list of links, or filters of the statistics. */
export type SavedOf = 'links' | 'statistics'

/** What differs in their words. */
export const TEXTS = {
  links: {
    title: 'links.views',
    none: 'links.views.none',
    save: 'links.views.save',
    overwrite: 'links.views.overwrite',
    delete: 'links.views.delete',
    saved: 'links.views.saved',
    deleted: 'links.views.deleted',
  },
  statistics: {
    title: 'statistics.saved',
    none: 'statistics.saved.none',
    save: 'statistics.saved.save',
    overwrite: 'statistics.saved.overwrite',
    delete: 'statistics.saved.delete',
    saved: 'statistics.saved.done',
    deleted: 'statistics.saved.deleted',
  },
} as const satisfies Record<SavedOf, Record<string, MessageKey>>
