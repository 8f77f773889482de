import { Archive } from 'lucide-react'
import { useI18n } from '../../i18n/index.tsx'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { cx } from '../../ui/cx.ts'
import { Tooltip } from '../../ui/tooltip.tsx'
import type { Status } from './search.ts'

const LOOKS: Readonly<Record<Status, { tone: Tone; mark: string }>> = {
  // Each has its own shape, because color alone isn't accessible.
  active: { tone: 'ok', mark: 'rounded-full bg-ok-mark' },
  scheduled: { tone: 'accent', mark: 'rounded-full border-2 border-accent-text' },
  expired: { tone: 'neutral', mark: 'h-0.75! rounded-full bg-faint' },
  exhausted: { tone: 'warn', mark: 'rounded-[1px] bg-warn-mark' },
  disabled: { tone: 'neutral', mark: 'rounded-full border-2 border-faint' },
  blocked: { tone: 'bad', mark: 'rotate-45 rounded-[1px] bg-bad-mark' },
}

/** A link's status as an icon; its name is the tool tip, and read aloud. */
export function StatusDot({ status }: { status: Status }) {
  const { t } = useI18n()
  const word = t(`links.status.${status}`)
  return (
    <Tooltip text={word}>
      <span className="flex size-4 shrink-0 items-center justify-center">
        <span aria-hidden="true" className={cx('block size-2', LOOKS[status].mark)} />
        <span className="sr-only">{word}</span>
      </span>
    </Tooltip>
  )
}

/** A link's status as a word. */
export function StatusChip({ status }: { status: Status }) {
  const { t } = useI18n()
  return (
    <Chip tone={LOOKS[status].tone} className="gap-1.5">
      <span className="flex items-center gap-1.5">
        <span aria-hidden="true" className={cx('block size-2', LOOKS[status].mark)} />
        {t(`links.status.${status}`)}
      </span>
    </Chip>
  )
}

/** Marks an archived link. */
export function ArchivedMark() {
  const { t } = useI18n()
  return (
    <Tooltip text={t('links.field.archived')}>
      <span className="flex shrink-0 text-faint">
        <Archive />
        <span className="sr-only">{t('links.field.archived')}</span>
      </span>
    </Tooltip>
  )
}
