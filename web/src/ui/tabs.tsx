import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export interface Tab<T extends string> {
  value: T
  label: ReactNode
  panel: ReactNode
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
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(next as T)}>
      <Base.List aria-label={label} className="flex flex-wrap gap-x-4 border-line border-b">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px h-9 whitespace-nowrap pointer-coarse:h-11 border-transparent border-b-2 text-muted hover:text-fg data-active:border-fg data-active:font-medium data-active:text-fg print:not-data-active:hidden"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="pt-4 outline-offset-4">
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
