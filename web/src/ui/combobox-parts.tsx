import { Combobox as Base } from '@base-ui/react/combobox'
import { Check, ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { cx } from './cx.ts'
import { CONTROL } from './input.tsx'
import { type ComboboxProps, type Option, triggerClass } from './listbox.tsx'
import { ITEM, POPUP, takeFocus } from './popup.ts'

/** A combobox that has been opened: it is so when it comes. */
export function OpenedCombobox({
  value,
  onChange,
  options,
  label,
  placeholder,
  onSearch,
  custom = false,
  invalid = false,
  className,
}: ComboboxProps) {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const typed = text.trim()
  const isKnown = options.some((one) => one.label.toLowerCase() === typed.toLowerCase())
  const items =
    custom && typed !== '' && !isKnown ? [...options, { value: typed, label: typed }] : options
  return (
    <Base.Root
      items={items}
      inputValue={text}
      onInputValueChange={(next) => {
        setText(next)
        onSearch?.(next)
      }}
      value={options.find((option) => option.value === value) ?? null}
      onValueChange={(next) => next !== null && onChange(next.value)}
      autoHighlight
      defaultOpen
      {...(onSearch && { filter: null })}
    >
      <Base.Trigger
        ref={takeFocus}
        aria-label={label}
        aria-invalid={invalid || undefined}
        className={triggerClass(true, className)}
      >
        <span dir="auto" className="truncate">
          <Base.Value placeholder={placeholder} />
        </span>
        <ChevronDown className="shrink-0 text-faint" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="z-50">
          <Base.Popup
            aria-label={label}
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
              <p className="px-2 py-3 text-muted text-sm">{t('common.nothingFound')}</p>
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
    </Base.Root>
  )
}
