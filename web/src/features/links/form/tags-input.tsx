import { type KeyboardEvent, useRef, useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { cx } from '../../../ui/cx.ts'
import type { FieldControl } from '../../../ui/field.tsx'
import { CONTROL } from '../../../ui/input.tsx'
import { TagDot } from '../../groups/tag-dot.tsx'
import { useOfferedTags } from '../../groups/use-tags.ts'

/** Words in a field: Enter or a comma ends one, Backspace takes the last away. */
export function TagsInput({
  value,
  onChange,
  suggestions,
  control,
}: {
  value: readonly string[]
  onChange: (tags: string[]) => void
  /** What is offered; default: the tags of the workspace. */
  suggestions?: readonly string[]
  control: FieldControl
}) {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)

  const has = (tag: string) => value.some((one) => one.toLowerCase() === tag.toLowerCase())
  const add = (typed: string) => {
    const fresh = typed
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '' && !has(one))
    if (fresh.length > 0) onChange([...value, ...fresh])
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.key === 'Enter' && text.trim() !== '') || event.key === ',') {
      event.preventDefault()
      add(text)
    } else if (event.key === 'Backspace' && text === '' && value.length > 0) {
      onChange(value.slice(0, -1))
    }
  }
  const found = useOfferedTags(text, suggestions === undefined)
  const colours = new Map(found.map(({ name, colour }) => [name, colour]))
  const offered = (suggestions ?? found.map(({ name }) => name))
    .filter((tag) => !has(tag) && tag.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, 8)

  return (
    <div className="flex flex-col gap-2">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only makes the field's frame a bigger target */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field itself is reached by Tab */}
      <div
        onClick={() => input.current?.focus()}
        className={cx(
          CONTROL,
          'flex min-h-8 flex-wrap pointer-coarse:min-h-10 items-center gap-1 px-1 py-0.75 focus-within:border-accent-text focus-within:outline-1 focus-within:outline-accent-text focus-within:outline-solid',
          control['aria-invalid'] && 'border-bad-mark',
        )}
      >
        {value.map((tag) => (
          <Chip
            key={tag}
            removeLabel={t('links.removeTag', { tag })}
            onRemove={() => onChange(value.filter((one) => one !== tag))}
          >
            {tag}
          </Chip>
        ))}
        <input
          {...control}
          ref={input}
          value={text}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => add(text)}
          className="h-6 min-w-24 flex-1 bg-transparent px-1.5 outline-none"
        />
      </div>
      {offered.length > 0 ? (
        <div className="flex flex-wrap gap-1">
          {offered.map((tag) => (
            <Chip
              key={tag}
              before={colours.has(tag) ? <TagDot colour={colours.get(tag)} /> : '+'}
              onClick={() => add(tag)}
              className="bg-transparent!"
            >
              {tag}
            </Chip>
          ))}
        </div>
      ) : null}
    </div>
  )
}
