import { cx } from './cx.ts'

/** A key of the keyboard. */
export function Kbd({ children, inverse = false }: { children: string; inverse?: boolean }) {
  return (
    <kbd
      className={cx(
        'inline-flex h-5 min-w-5 items-center justify-center rounded-xs border px-1 font-sans text-xs leading-none',
        inverse ? 'border-current/30' : 'border-line bg-sunken text-muted',
      )}
    >
      {children}
    </kbd>
  )
}
