import type { KeyboardEvent, ReactNode, Ref } from 'react'
import { Chip } from './chip.tsx'
import { cx } from './cx.ts'
import type { FieldControl } from './field.tsx'
import { CONTROL } from './input.tsx'

/** A field of words: Enter (or a comma) ends one, Backspace removes the last one. */
export function ChipsInput({
  value,
  onAdd,
  onRemove,
  text,
  onText,
  withCommas = false,
  isWrong = () => false,
  removeLabel,
  control,
  dir,
}: {
  value: readonly string[]
  /** The typed text; with commas, if these don't end a word. */
  onAdd: (typed: string) => void
  onRemove: (word: string) => void
  /** The text being typed. */
  text: string
  onText: (text: string) => void
  /** Whether commas are part of words. */
  withCommas?: boolean
  isWrong?: (word: string) => boolean
  /** The name of a word's remove button. */
  removeLabel: (word: string) => string
  control: FieldControl
  dir?: 'ltr'
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    const last = value.at(-1)
    if ((event.key === 'Enter' && text.trim() !== '') || (event.key === ',' && !withCommas)) {
      event.preventDefault()
      onAdd(text)
    } else if (event.key === 'Backspace' && text === '' && last !== undefined) {
      onRemove(last)
    }
  }
  return (
    <ChipsFrame
      value={value}
      onRemove={onRemove}
      removeLabel={removeLabel}
      isWrong={isWrong}
      invalid={control['aria-invalid'] === true}
    >
      <input
        {...control}
        dir={dir}
        value={text}
        autoComplete="off"
        autoCapitalize="none"
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => onAdd(text)}
        className={CHIPS_INPUT}
      />
    </ChipsFrame>
  )
}

/** The look of the input behind the words. */
export const CHIPS_INPUT = 'h-6 min-w-24 flex-1 bg-transparent px-1.5 outline-none'

/** The frame of a field of words: the words, each removable, and its input. */
export function ChipsFrame({
  value,
  onRemove,
  removeLabel,
  isWrong = () => false,
  invalid,
  ref,
  children,
}: Pick<Parameters<typeof ChipsInput>[0], 'value' | 'onRemove' | 'removeLabel' | 'isWrong'> & {
  invalid: boolean
  ref?: Ref<HTMLDivElement>
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only makes the field's frame a bigger target
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field itself is reached by Tab
    <div
      ref={ref}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) currentTarget.querySelector('input')?.focus()
      }}
      className={cx(
        CONTROL,
        'flex min-h-8 flex-wrap pointer-coarse:min-h-10 items-center gap-1 px-1 py-0.75 focus-within:border-accent-text focus-within:outline-1 focus-within:outline-accent-text focus-within:outline-solid',
        invalid && 'border-bad-mark!',
      )}
    >
      {value.map((word) => (
        <Chip
          key={word}
          tone={isWrong(word) ? 'bad' : 'neutral'}
          removeLabel={removeLabel(word)}
          onRemove={() => onRemove(word)}
        >
          {word === '' ? '“”' : word}
        </Chip>
      ))}
      {children}
    </div>
  )
}
