import { Switch as Base } from '@base-ui/react/switch'
import { type ReactNode, useId } from 'react'

/** On or off, effective immediately. */
export function Switch({
  checked,
  onChange,
  label,
  hint,
  disabled = false,
}: {
  checked: boolean
  onChange: (checked: boolean) => void
  label: ReactNode
  hint?: ReactNode
  disabled?: boolean
}) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="flex flex-col gap-0.5">
        <span id={id} className="font-medium text-sm">
          {label}
        </span>
        {hint ? <span className="text-faint text-xs">{hint}</span> : null}
      </div>
      <Base.Root
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-labelledby={id}
        className="relative flex h-6 w-10 shrink-0 pointer-coarse:after:absolute pointer-coarse:after:-inset-2 items-center rounded-full! bg-line-strong p-0.75 transition-colors data-checked:bg-accent data-disabled:opacity-50"
      >
        <Base.Thumb className="size-4.5 rounded-full bg-white transition-transform ltr:data-checked:translate-x-4 rtl:data-checked:-translate-x-4" />
      </Base.Root>
    </div>
  )
}
