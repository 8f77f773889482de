import { Combobox as Base } from '@base-ui/react/combobox'
import { Plus } from 'lucide-react'
import {
  type FocusEvent,
  type Ref,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { CHIPS_INPUT, ChipsFrame } from '../../../ui/chips-input.tsx'
import { cx } from '../../../ui/cx.ts'
import type { FieldControl } from '../../../ui/field.tsx'
import { ITEM, POPUP } from '../../../ui/popup.ts'
import type { Tag } from '../../groups/queries.ts'
import { TagDot } from '../../groups/tag-dot.tsx'
import { useOfferedTags } from '../../groups/use-tags.ts'

/**
 * A combobox of tags, the most used first. Enter takes the highlighted one, Backspace removes the last
 * chosen one; with `creates`, other texts become tags too, also by a comma or by leaving the field.
 */
export function TagsInput({
  value,
  onChange,
  suggestions,
  creates = false,
  control,
}: {
  value: readonly string[]
  onChange: (tags: string[]) => void
  /** Suggestions; default: the tags of the workspace. */
  suggestions?: readonly string[] | undefined
  /** Whether tags that don't exist can be chosen. */
  creates?: boolean
  control: FieldControl
}) {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const frame = useRef<HTMLDivElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const { add, items, tagOf, isPending } = useChoice({
    value,
    onChange,
    suggestions,
    creates,
    text,
  })

  // Enter before the tags have arrived takes the first of them.
  const [isWaiting, setWaiting] = useState(false)
  const take = useEffectEvent(() => {
    setWaiting(false)
    const [first] = items
    if (first !== undefined && text.trim() !== '') onChange([...value, first])
    setText('')
  })
  useEffect(() => {
    if (isWaiting && !isPending) take()
  }, [isWaiting, isPending])

  const type = (next: string) => {
    setWaiting(false)
    if (!creates || !next.includes(',')) return setText(next)
    add(next)
    setText('')
  }
  const leave = () => {
    if (!creates || text.trim() === '') return
    add(text)
    setText('')
  }
  const onBlur = (event: FocusEvent) => {
    if (!popup.current?.contains(event.relatedTarget as Node | null)) leave()
  }
  return (
    <Base.Root
      multiple
      items={items}
      filter={null}
      autoHighlight
      inputValue={text}
      onInputValueChange={type}
      onOpenChange={(isOpen, details) => {
        // It clears the text, before the field loses the focus.
        if (details.reason === 'outside-press') leave()
        // There is nothing to choose from.
        const isNone = !isPending && items.length === 0
        if (isOpen && details.reason !== 'input-change' && isNone) details.cancel()
      }}
      value={value}
      onValueChange={(next) => onChange(next)}
    >
      <ChipsFrame
        ref={frame}
        value={value}
        invalid={control['aria-invalid'] === true}
        onRemove={(tag) => onChange(value.filter((one) => one !== tag))}
        removeLabel={(tag) => t('links.removeTag', { tag })}
      >
        <Base.Input
          {...control}
          // While the list is open, everything else is hidden, also the label.
          aria-labelledby={`${control.id}-label`}
          autoCapitalize="none"
          className={CHIPS_INPUT}
          onBlur={onBlur}
          onKeyDown={(event) => {
            const { currentTarget, key } = event
            const isOpen = currentTarget.getAttribute('aria-expanded') === 'true'
            const last = value.at(-1)
            // It would clear the tags.
            if (key === 'Escape' && !isOpen) event.preventBaseUIHandler()
            else if (key === 'Backspace' && text === '' && last !== undefined) {
              onChange(value.filter((one) => one !== last))
            } else if (
              key === 'Enter' &&
              text.trim() !== '' &&
              !currentTarget.hasAttribute('aria-activedescendant')
            ) {
              event.preventDefault()
              event.preventBaseUIHandler()
              setWaiting(true)
            }
          }}
        />
      </ChipsFrame>
      <Offers
        ref={popup}
        frame={frame}
        isShown={items.length > 0 || (!isPending && text.trim() !== '')}
        tagOf={tagOf}
      />
    </Base.Root>
  )
}

/** The list of what can be chosen. */
function Offers({
  ref,
  frame,
  isShown,
  tagOf,
}: {
  ref: Ref<HTMLDivElement>
  frame: RefObject<HTMLDivElement | null>
  isShown: boolean
  tagOf: (name: string) => Offered | undefined
}) {
  const { t } = useI18n()
  return (
    <Base.Portal>
      <Base.Positioner anchor={frame} sideOffset={4} align="start" className="z-50">
        <Base.Popup
          ref={ref}
          className={cx(
            POPUP,
            'max-h-[min(18rem,var(--available-height))] w-(--anchor-width) overflow-y-auto overscroll-contain',
            !isShown && 'hidden',
          )}
        >
          <Base.Empty>
            {isShown ? (
              <p className="px-2 py-1.5 text-muted text-sm">{t('common.nothingFound')}</p>
            ) : null}
          </Base.Empty>
          <Base.List aria-label={t('tags.suggestions')}>
            {(name: string) => {
              const tag = tagOf(name)
              return (
                <Base.Item key={name} value={name} className={ITEM}>
                  {tag === undefined ? (
                    <Plus className="text-faint" />
                  ) : (
                    <TagDot color={tag.color} />
                  )}
                  <span dir="auto" className="min-w-0 flex-1 truncate">
                    {tag === undefined ? t('tags.createNamed', { name }) : name}
                  </span>
                  {tag?.links === undefined ? null : (
                    <span className="tabular text-faint text-xs">
                      {t('tags.links', { count: tag.links })}
                    </span>
                  )}
                </Base.Item>
              )
            }}
          </Base.List>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  )
}

/** What can be chosen for a text: an exact match first, a new tag last. */
function useChoice({
  value,
  onChange,
  suggestions,
  creates,
  text,
}: Pick<Parameters<typeof TagsInput>[0], 'value' | 'onChange' | 'suggestions' | 'creates'> & {
  text: string
}) {
  const { tags, isPending } = useOfferedTags(text, suggestions === undefined)
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  const has = (tag: string) => value.some((one) => same(one, tag))
  const offered: readonly Offered[] = suggestions?.map((name) => ({ name })) ?? tags
  const typed = text.trim()
  const found = offered.filter(
    ({ name }) => !has(name) && name.toLowerCase().includes(typed.toLowerCase()),
  )
  const exact = found.filter(({ name }) => same(name, typed))
  const others = found.filter(({ name }) => !same(name, typed))
  const isNew = creates && typed !== '' && exact.length === 0 && !has(typed) && !isPending
  return {
    isPending,
    items: [...[...exact, ...others].map(({ name }) => name), ...(isNew ? [typed] : [])],
    tagOf: (name: string) => found.find((one) => one.name === name),
    /** Adds typed tags, by the names that they have already. */
    add(words: string) {
      const fresh = new Map<string, string>()
      for (const word of words.split(',').map((one) => one.trim())) {
        if (word === '' || has(word)) continue
        const known = offered.find(({ name }) => same(name, word))
        fresh.set(word.toLowerCase(), known?.name ?? word)
      }
      if (fresh.size > 0) onChange([...value, ...fresh.values()])
    },
  }
}

/** A tag, or only its name. */
type Offered = { name: string } & Partial<Pick<Tag, 'color' | 'links'>>
