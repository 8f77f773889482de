import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import { useRef } from 'react'
import { cx } from './cx.ts'
import { type SelectProps, triggerClass } from './listbox.tsx'
import { ITEM, POPUP, takeFocus } from './popup.ts'

/** A select that is initially open. */
export function OpenedSelect<T extends string>({
  value,
  onChange,
  options,
  label,
  compact = false,
  className,
  disabled = false,
  ...control
}: SelectProps<T>) {
  const isFresh = useRef(true)
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => next !== null && onChange(next as T)}
      items={options as { value: T; label: string }[]}
      defaultOpen
      disabled={disabled}
    >
      <Base.Trigger
        {...control}
        ref={takeFocus}
        aria-label={label}
        className={triggerClass(compact, className)}
      >
        <Base.Value dir="auto" className="truncate" />
        <Base.Icon className="shrink-0 text-faint">
          <ChevronDown />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="z-50" alignItemWithTrigger={false}>
          <Base.Popup
            onFocus={({ target, currentTarget }) => {
              // Base UI hasn't seen which key opened it: the first arrow would only reach what is chosen.
              if (!isFresh.current || target !== currentTarget) return
              isFresh.current = false
              currentTarget.querySelector<HTMLElement>('[data-selected]')?.focus()
            }}
            className={cx(
              POPUP,
              'max-h-(--available-height) min-w-(--anchor-width) overflow-y-auto',
            )}
          >
            <Base.List>
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} className={cx(ITEM, 'pe-8')}>
                  <Base.ItemIndicator className="absolute end-2">
                    <Check />
                  </Base.ItemIndicator>
                  <span className="flex flex-col">
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.hint ? <span className="text-faint text-xs">{option.hint}</span> : null}
                  </span>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
