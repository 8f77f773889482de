import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'
import { Spinner } from './spinner.tsx'
import { Tooltip } from './tooltip.tsx'

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'
type ButtonSize = 'sm' | 'md'

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary:
    'border border-line bg-raised hover:bg-hover active:bg-pressed data-popup-open:bg-hover',
  ghost: 'text-muted hover:bg-hover hover:text-fg active:bg-pressed data-popup-open:bg-hover',
  danger: 'bg-bad-solid text-on-accent hover:bg-bad-solid-hover',
}
const SIZES: Readonly<Record<ButtonSize, string>> = {
  // Touch needs larger targets than a pointer.
  sm: 'h-7 px-2 text-sm gap-1.5 pointer-coarse:h-10',
  md: 'h-8 px-3 text-base gap-2 pointer-coarse:h-10',
}

/** A button that shows only its icon on phones. */
export const BRIEF = 'max-sm:w-8 max-sm:px-0 pointer-coarse:max-sm:w-10'
/** The label of such a button: its accessible name on phones. */
export const BRIEF_LABEL = 'max-sm:sr-only'

/** A button whose label may take two lines: the longest of some languages don't fit into one. */
export const WRAPPING = 'h-auto! min-h-8 py-1 whitespace-normal! pointer-coarse:min-h-10'

/** The look of a button, for links styled as one. */
export function buttonClass(
  variant: ButtonVariant = 'secondary',
  size: ButtonSize = 'md',
  more?: string,
): string {
  return cx(
    'inline-flex shrink-0 select-none items-center print:hidden justify-center rounded-sm font-medium whitespace-nowrap transition-colors',
    'disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:opacity-50',
    VARIANTS[variant],
    SIZES[size],
    more,
  )
}

interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: ReactNode
  /** Shows only the icon on phones. */
  brief?: boolean
  /** In progress: keeps its width and its focus, and can't be pressed again. */
  loading?: boolean
}

/** A button with a text. */
export function Button({
  variant = 'secondary',
  size = 'md',
  icon,
  brief = false,
  loading = false,
  className,
  children,
  onClick,
  ...props
}: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      aria-busy={loading || undefined}
      aria-disabled={loading || props['aria-disabled'] || undefined}
      onClick={loading ? (event) => event.preventDefault() : onClick}
      className={buttonClass(variant, size, brief ? cx(BRIEF, className) : className)}
    >
      {loading ? <Spinner /> : icon}
      {brief ? <span className={BRIEF_LABEL}>{children}</span> : children}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'loading' | 'brief'> {
  /** Its name, also shown as a tool tip. */
  label: string
  /** Its keyboard shortcut. */
  shortcut?: string
}

/** A button that is only an icon. */
export function IconButton({
  label,
  icon,
  shortcut,
  variant = 'ghost',
  size = 'md',
  className,
  ...props
}: IconButtonProps) {
  return (
    <Tooltip text={label} {...(shortcut === undefined ? {} : { shortcut })}>
      <button
        type="button"
        aria-label={label}
        {...props}
        className={buttonClass(
          variant,
          size,
          cx('px-0! pointer-coarse:w-10', size === 'sm' ? 'w-7' : 'w-8', className),
        )}
      >
        {icon}
      </button>
    </Tooltip>
  )
}
