import { Tag } from 'lucide-react'
import { type Ref, useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { TagsInput } from '../form/tags-input.tsx'
import type { Selection } from '../list/use-selection.ts'
import { tryFound, tryLinks } from '../queries.ts'
import type { LinksSearch } from '../search.ts'
import { Forecast } from './forecast.tsx'

/** Tags to add to all links, and tags to remove. */
export function TagPopover({
  button,
  selection: { links, count, found },
  search,
  onTag,
}: {
  button: Ref<HTMLButtonElement>
  selection: Selection
  search: LinksSearch
  onTag: (added: string[], removed: string[]) => void
}) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  const [added, setAdded] = useState<string[]>([])
  const [removed, setRemoved] = useState<string[]>([])
  const change = { add_tags: added, remove_tags: removed }
  const have = [...new Set(links.flatMap((link) => link.tags))]
  return (
    <Popover
      title={t('links.bulk.tags')}
      open={open}
      onOpenChange={setOpen}
      align="center"
      className="w-80"
      trigger={
        <Button ref={button} brief variant="ghost" icon={<Tag />}>
          {t('links.field.tags')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t('links.bulk.addTags')}>
          {(control) => <TagsInput creates control={control} value={added} onChange={setAdded} />}
        </Field>
        <Field label={t('links.bulk.removeTags')}>
          {(control) => (
            <TagsInput
              control={control}
              value={removed}
              onChange={setRemoved}
              suggestions={found === null ? have : undefined}
            />
          )}
        </Field>
        {added.length + removed.length === 0 ? null : (
          <Forecast
            change={[found === null ? links.map(({ id }) => id) : search, added, removed]}
            count={count}
            ask={() => (found === null ? tryLinks(links, change) : tryFound(search, found, change))}
          />
        )}
        <Button
          variant="primary"
          disabled={added.length + removed.length === 0}
          onClick={() => {
            setOpen(false)
            onTag(added, removed)
          }}
        >
          {t('links.bulk.applyTags', { count })}
        </Button>
      </div>
    </Popover>
  )
}
