import {
  ArrowDown,
  ArrowUp,
  ChevronRight,
  CircleAlert,
  CopyPlus,
  Trash2,
  TriangleAlert,
} from 'lucide-react'
import { type KeyboardEvent, useId } from 'react'
import { useI18n } from '../../../../i18n/index.tsx'
import { IconButton } from '../../../../ui/button.tsx'
import { cx } from '../../../../ui/cx.ts'
import { MenuItem, MoreMenu } from '../../../../ui/menu.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { type Rule, thenText, whenText } from '../../rules/text.ts'
import { Conditions } from './conditions.tsx'
import { type RuleDraft, thenOf, whenOf } from './draft.ts'
import { type Marks, messagesWithin } from './marks.ts'
import { Outcome } from './outcome.tsx'
import { WarningNote } from './warning-note.tsx'

/** A rule: one line when collapsed. */
export function RuleCard(props: {
  rule: RuleDraft
  title: string
  path: string
  open: boolean
  problems: Marks
  warnings: Marks
  onOpen: (open: boolean) => void
  onChange: (fields: Partial<RuleDraft>) => void
  /** Moves it up or down, keeping the focus. Undefined: it is the first or last. */
  onUp: ((focused: HTMLElement) => void) | undefined
  onDown: ((focused: HTMLElement) => void) | undefined
  onDuplicate: () => void
  onRemove: () => void
}) {
  const { rule, title, path, open, problems, onUp, onDown } = props
  const { t } = useI18n()
  const id = useId()
  const move = (event: KeyboardEvent<HTMLElement>) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    const go = event.key === 'ArrowUp' ? onUp : onDown
    go?.(event.currentTarget)
  }
  return (
    <li
      data-rule={rule.key}
      className={cx(
        'rounded-md border',
        messagesWithin(problems, path).length > 0 ? 'border-bad-mark' : 'border-line',
      )}
    >
      <div className="flex items-start gap-0.5 p-1">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => props.onOpen(!open)}
          onKeyDown={move}
          className="flex min-h-8 min-w-0 flex-1 items-start gap-1.5 rounded-sm px-1 py-1.5 text-start hover:bg-hover pointer-coarse:min-h-10"
        >
          <ChevronRight
            className={cx(
              'mt-0.75 shrink-0 transition-transform',
              open ? 'rotate-90' : 'rtl:-scale-x-100',
            )}
          />
          <Head {...props} />
        </button>
        <IconButton
          size="sm"
          label={t('rules.moveUp')}
          shortcut="Alt ↑"
          icon={<ArrowUp />}
          aria-disabled={onUp === undefined}
          onClick={(event) => onUp?.(event.currentTarget)}
        />
        <IconButton
          size="sm"
          label={t('rules.moveDown')}
          shortcut="Alt ↓"
          icon={<ArrowDown />}
          aria-disabled={onDown === undefined}
          onClick={(event) => onDown?.(event.currentTarget)}
        />
        <MoreMenu size="sm" label={t('links.actionsFor', { name: title })}>
          <MenuItem icon={<CopyPlus />} onClick={props.onDuplicate}>
            {t('links.duplicate')}
          </MenuItem>
          <MenuItem icon={<Trash2 />} danger onClick={props.onRemove}>
            {t('links.delete')}
          </MenuItem>
        </MoreMenu>
      </div>
      <div id={id}>{open ? <Body {...props} /> : null}</div>
    </li>
  )
}

type Props = Parameters<typeof RuleCard>[0]

/** The name, and the rule's summary when collapsed. */
function Head({ rule, title, path, open, problems, warnings }: Props) {
  const i18n = useI18n()
  const { t } = i18n
  const when = whenText(whenOf(rule.when), i18n)
  const then = thenText(thenOf(rule.then) as Rule['then'], i18n)
  const mark = messagesWithin(problems, path).length > 0 ? 'rules.hasFault' : 'rules.hasWarning'
  const isMarked = mark === 'rules.hasFault' || messagesWithin(warnings, path).length > 0
  const Mark = mark === 'rules.hasFault' ? CircleAlert : TriangleAlert
  return (
    <span className="flex min-w-0 flex-1 flex-col" title={open ? undefined : `${when} ${then}`}>
      <span className="flex items-center gap-1.5 font-medium">
        <bdi className="min-w-0 [overflow-wrap:anywhere]">{title}</bdi>
        {isMarked ? (
          <>
            <Mark
              className={cx('shrink-0', mark === 'rules.hasFault' ? 'text-bad' : 'text-warn')}
            />
            <span className="sr-only">{t(mark)}</span>
          </>
        ) : null}
      </span>
      {open ? null : (
        // The outcome is visible however long the conditions are.
        <span className="flex min-w-0 gap-1.5 text-muted text-sm">
          <span className="truncate">{when}</span>
          <span aria-hidden="true" className="rtl:-scale-x-100">
            →
          </span>
          <bdi className="max-w-[55%] shrink-0 truncate">{then || '…'}</bdi>
        </span>
      )}
    </span>
  )
}

function Body({ rule, path, title, problems, warnings, onChange }: Props) {
  const { t } = useI18n()
  // Messages of its parts are shown there.
  const general = [path, `${path}.id`, `${path}.when`].flatMap((place) => problems[place] ?? [])
  const warned = warnings[path]
  return (
    <div className="flex flex-col gap-4 border-line border-t p-3">
      {general.map((message) => (
        <p key={message} role="status" className="text-bad text-sm">
          {message}
        </p>
      ))}
      <WarningNote messages={warned === undefined ? [] : [warned]} />
      <TextField
        label={t('rules.name')}
        error={problems[`${path}.name`]}
        data-name
        placeholder={title}
        value={rule.name}
        onChange={(name) => onChange({ name })}
      />
      <Conditions
        when={rule.when}
        onChange={(when) => onChange({ when })}
        path={`${path}.when`}
        problems={problems}
      />
      <Outcome
        then={rule.then}
        onChange={(then) => onChange({ then })}
        path={`${path}.then`}
        problems={problems}
        warnings={warnings}
      />
    </div>
  )
}
