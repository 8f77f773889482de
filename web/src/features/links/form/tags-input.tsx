import { useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { ChipsInput } from '../../../ui/chips-input.tsx'
import type { FieldControl } from '../../../ui/field.tsx'
import { TagDot } from '../../groups/tag-dot.tsx'
import { useOfferedTags } from '../../groups/use-tags.ts'

/** A field of words: Enter or a comma ends one, Backspace removes the last one. */
export function TagsInput({
  value,
  onChange,
  suggestions,
  control,
}: {
  value: readonly string[]
  onChange: (tags: string[]) => void
  /** Suggestions; default: the tags of the workspace. */
  suggestions?: readonly string[]
  control: FieldControl
}) {
  const { t } = useI18n()
  const [text, setText] = useState('')

  const has = (tag: string) => value.some((one) => one.toLowerCase() === tag.toLowerCase())
  const add = (typed: string) => {
    const fresh = typed
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '' && !has(one))
    if (fresh.length > 0) onChange([...value, ...fresh])
    setText('')
  }
  const found = useOfferedTags(text, suggestions === undefined)
  const colors = new Map(found.map(({ name, color }) => [name, color]))
  const offered = (suggestions ?? found.map(({ name }) => name))
    .filter((tag) => !has(tag) && tag.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, 8)

  return (
    <div className="flex flex-col gap-2">
      <ChipsInput
        control={control}
        value={value}
        text={text}
        onText={setText}
        onAdd={add}
        onRemove={(tag) => onChange(value.filter((one) => one !== tag))}
        removeLabel={(tag) => t('links.removeTag', { tag })}
      />
      {offered.length > 0 ? (
        <div className="flex flex-wrap gap-1">
          {offered.map((tag) => (
            <Chip
              key={tag}
              before={colors.has(tag) ? <TagDot color={colors.get(tag)} /> : '+'}
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
