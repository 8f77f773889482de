import { type KeyboardEvent, type ReactNode, useId } from 'react'

export interface Tab<T extends string> {
  value: T
  label: ReactNode
  panel: ReactNode
}

/** How far a key goes along the tabs; arrows go where they point. */
function stepOf({ key, currentTarget }: KeyboardEvent): number | null {
  const forwards = getComputedStyle(currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
  if (key === 'Home') return Number.NEGATIVE_INFINITY
  if (key === 'End') return Number.POSITIVE_INFINITY
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return null
  return key === forwards ? 1 : -1
}

/** Several panels in one place. */
export function Tabs<T extends string>({
  value,
  onChange,
  tabs,
  label,
}: {
  value: T
  onChange: (value: T) => void
  tabs: readonly Tab<T>[]
  label: string
}) {
  const id = useId()
  const chosen = tabs.findIndex((tab) => tab.value === value)
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = stepOf(event)
    if (step === null) return
    event.preventDefault()
    const last = tabs.length - 1
    const next = chosen + step
    // From either end it goes on at the other.
    const at = Number.isFinite(step) ? (next + tabs.length) % tabs.length : step < 0 ? 0 : last
    const tab = tabs[at]
    if (tab !== undefined) onChange(tab.value)
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[at]?.focus()
  }
  return (
    <div>
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        className="flex flex-wrap gap-x-4 border-line border-b"
      >
        {tabs.map((tab, at) => (
          <button
            key={tab.value}
            id={`${id}-${tab.value}`}
            type="button"
            role="tab"
            aria-selected={at === chosen}
            aria-controls={at === chosen ? `${id}-panel` : undefined}
            tabIndex={at === chosen ? 0 : -1}
            onClick={() => onChange(tab.value)}
            className="-mb-px h-9 whitespace-nowrap pointer-coarse:h-11 border-transparent border-b-2 text-muted hover:text-fg aria-selected:border-fg aria-selected:font-medium aria-selected:text-fg"
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        key={value}
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${value}`}
        className="pt-4"
      >
        {tabs[chosen]?.panel}
      </div>
    </div>
  )
}
