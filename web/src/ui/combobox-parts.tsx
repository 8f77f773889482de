import { Combobox as Base } from '@base-ui/react/combobox'
import { Check, ChevronDown } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { cx } from './cx.ts'
import { CONTROL } from './input.tsx'
import { type ComboboxProps, type Option, triggerClass } from './listbox.tsx'
import { ITEM, POPUP, takeFocus } from './popup.ts'

const hasModifier = ({ altKey, ctrlKey, metaKey }: KeyboardEvent) => altKey || ctrlKey || metaKey

/** A combobox that has been opened: it is so when it comes. */
export function OpenedCombobox({
  value,
  onChange,
  options,
  label,
  placeholder,
  onSearch,
  custom = false,
  pending = false,
  chosen,
  invalid = false,
  className,
  onChosen,
}: ComboboxProps) {
  const { t, format } = useI18n()
  const [text, setText] = useState('')
  const [open, setOpen] = useState(true)
  const isChosen = useRef(false)
  const type = (next: string) => {
    setText(next)
    onSearch?.(next)
  }
  const typed = text.trim()
  const isKnown = options.some((one) => one.label.toLowerCase() === typed.toLowerCase())
  const items =
    custom && typed !== '' && !isKnown ? [...options, { value: typed, label: typed }] : options
  const root = {
    items,
    inputValue: text,
    onInputValueChange: type,
    autoHighlight: true,
    open,
    onOpenChange(next: boolean, { reason }: { reason: string }) {
      setOpen(next)
      isChosen.current = reason === 'item-press'
    },
    ...(onSearch && { filter: null }),
  }
  const content = (
    <>
      <Base.Trigger
        ref={takeFocus}
        aria-label={label}
        aria-invalid={invalid || undefined}
        onKeyDown={(event) => {
          if (open || event.key.length > 1 || event.key === ' ' || hasModifier(event)) return
          // It would choose the first value with this letter, unseen.
          event.preventBaseUIHandler()
          event.preventDefault()
          setOpen(true)
          type(event.key)
        }}
        className={triggerClass(true, className)}
      >
        <span dir={(chosen?.length ?? 0) > 1 ? undefined : 'auto'} className="truncate">
          <Base.Value placeholder={placeholder}>
            {chosen === undefined || chosen.length === 0
              ? undefined
              : (all: Option[]) => format.list(all.map((one) => one.label))}
          </Base.Value>
        </span>
        <ChevronDown className="shrink-0 text-faint" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="z-50">
          <Base.Popup
            aria-label={label}
            finalFocus={() => {
              if (onChosen === undefined || !isChosen.current) return true
              onChosen()
              return false
            }}
            className={cx(
              POPUP,
              'flex max-h-[min(24rem,var(--available-height))] w-72 max-w-(--available-width) flex-col gap-1',
            )}
          >
            <Base.Input
              aria-label={t('common.search')}
              placeholder={t('common.search')}
              className={cx(CONTROL, 'h-8 shrink-0 px-2.5 pointer-coarse:h-10')}
            />
            <Base.Empty>
              <p className="px-2 py-3 text-muted text-sm">
                {t(pending ? 'common.loading' : 'common.nothingFound')}
              </p>
            </Base.Empty>
            <Base.List className="min-h-0 overflow-y-auto overscroll-contain">
              {(option: Option) => (
                <Base.Item key={option.value} value={option} className={cx(ITEM, 'pe-8')}>
                  {option.label}
                  <Base.ItemIndicator className="absolute end-2">
                    <Check />
                  </Base.ItemIndicator>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </>
  )
  if (chosen === undefined) {
    return (
      <Base.Root
        {...root}
        value={options.find((option) => option.value === value) ?? null}
        onValueChange={(next) => next !== null && onChange(next.value)}
      >
        {content}
      </Base.Root>
    )
  }
  const selected = items.filter((one) => chosen.includes(one.value))
  return (
    <Base.Root
      {...root}
      multiple
      value={selected}
      onValueChange={(next) => {
        const changed =
          next.find((one) => !selected.includes(one)) ?? selected.find((one) => !next.includes(one))
        if (changed !== undefined) onChange(changed.value)
      }}
    >
      {content}
    </Base.Root>
  )
}
