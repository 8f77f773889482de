import { RANGE_KEYS } from '../features/statistics/range.ts'
import type { MessageKey } from '../i18n/index.tsx'
import { useI18n } from '../i18n/index.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { destinationsOf } from './navigation.tsx'
import { usePlace } from './workspace.tsx'

type Group = readonly [MessageKey, readonly [MessageKey, readonly string[]][]]

const GROUPS: readonly Group[] = [
  [
    'shortcuts.anywhere',
    [
      ['shortcuts.palette', ['⌘ K', 'Ctrl K']],
      ['shortcuts.search', ['/']],
      ['shortcuts.create', ['c']],
      ['common.save', ['⌘ ↵', 'Ctrl ↵']],
      ['shortcuts.escape', ['Esc']],
      ['shortcuts.help', ['?']],
    ],
  ],
  [
    'shortcuts.inList',
    [
      ['shortcuts.down', ['j', '↓']],
      ['shortcuts.up', ['k', '↑']],
      ['shortcuts.open', ['↵']],
      ['shortcuts.select', ['x']],
      ['shortcuts.edit', ['e']],
      ['links.bulk.tags', ['t']],
      ['folders.move', ['m']],
      ['shell.statistics', ['s']],
      ['shortcuts.copy', ['y']],
      ['shortcuts.delete', ['#']],
    ],
  ],
]

const STATISTICS: Group = [
  'shell.statistics',
  (Object.keys(RANGE_KEYS) as (keyof typeof RANGE_KEYS)[]).map((range) => [
    `statistics.range.${range}` as const,
    [RANGE_KEYS[range]],
  ]),
]

/** What only those can do who may change links: others don't have their keys. */
const WRITING: readonly MessageKey[] = [
  'shortcuts.create',
  'shortcuts.select',
  'shortcuts.edit',
  'links.bulk.tags',
  'folders.move',
  'shortcuts.delete',
]

/** All keys that the person has, by `?`. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const place = usePlace()
  const isWritable = place.may('links:write')
  const shown = (lines: Group[1]) => lines.filter(([what]) => isWritable || !WRITING.includes(what))
  const pages: Group = [
    'shortcuts.goTo',
    destinationsOf(place).map(({ label, letter }) => [label, [`g ${letter}`]]),
  ]
  return (
    <Dialog onClose={onClose} title={t('shortcuts.title')}>
      {[...GROUPS, STATISTICS, pages].map(([title, lines]) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <section key={title} className="flex flex-col gap-1" tabIndex={0} aria-label={t(title)}>
          <h3 className="mt-2 font-medium text-faint text-xs">{t(title)}</h3>
          <dl className="flex flex-col">
            {shown(lines).map(([what, keys]) => (
              <div
                key={what}
                className="flex min-h-8 items-center justify-between gap-4 border-line border-b last:border-0"
              >
                <dt>{t(what)}</dt>
                <dd dir="ltr" className="flex items-center gap-1.5 text-faint text-xs">
                  {keys.map((key, i) => (
                    <span key={key} className="flex items-center gap-1.5">
                      {i > 0 ? t('shortcuts.orKey') : null}
                      {key.split(' ').map((one) => (
                        <Kbd key={one}>{one}</Kbd>
                      ))}
                    </span>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
