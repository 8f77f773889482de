import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { useLeadingDebounce } from '../../lib/use-debounced.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { ConfirmDialog, Dialog, FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { FormError } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast, useShowError } from '../../ui/toast.tsx'
import {
  COLORS,
  type Color,
  createTag,
  deleteTag,
  mergeTag,
  offeredTagsQuery,
  type Tag,
  updateTag,
} from './queries.ts'
import { TagDot } from './tag-dot.tsx'
import { useGroupsChanged } from './use-tags.ts'

/** Creates a tag, or changes its name or color. */
export function TagDialog({ tag, onClose }: { tag: Tag | null; onClose: () => void }) {
  const { t } = useI18n()
  const changed = useGroupsChanged()
  const showError = useShowError()
  const [name, setName] = useState(tag?.name ?? '')
  const [color, setColor] = useState<Color | null>(tag?.color ?? null)
  const save = useMutation({
    mutationFn: () => {
      const body = { name, ...(color && { color }) }
      return tag === null ? createTag(body) : updateTag(tag, body)
    },
    async onSuccess(saved) {
      await changed()
      showToast({
        title: t('tags.saved', { name: saved.name }),
        ...(tag !== null && {
          action: {
            label: t('common.undo'),
            onClick: () =>
              void updateTag(saved, { name: tag.name, color: tag.color })
                .catch(showError)
                .finally(changed),
          },
        }),
      })
      onClose()
    },
  })
  return (
    <FormDialog
      title={t(tag === null ? 'tags.create' : 'tags.edit')}
      action={t(tag === null ? 'tags.create.submit' : 'common.save')}
      task={save}
      fields={['name']}
      onClose={onClose}
    >
      <TextField
        label={t('tags.name')}
        error={fieldError(save.error, 'name')}
        value={name}
        maxLength={100}
        autoComplete="off"
        onChange={setName}
      />
      <ColorField value={color} onChange={setColor} />
    </FormDialog>
  )
}

function ColorField({
  value,
  onChange,
}: {
  value: Color | null
  onChange: (color: Color) => void
}) {
  const { t } = useI18n()
  const name = useId()
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-sm">{t('tags.color')}</legend>
      <div className="flex flex-wrap gap-1.5">
        {COLORS.map((color) => (
          <label
            key={color}
            title={t(`tags.color.${color}`)}
            className={cx(
              'flex size-8 cursor-pointer items-center justify-center rounded-sm border pointer-coarse:size-10 has-focus-visible:outline-2 has-focus-visible:outline-accent-text',
              value === color ? 'border-fg!' : 'border-transparent hover:bg-hover',
            )}
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              aria-label={t(`tags.color.${color}`)}
              checked={value === color}
              onChange={() => onChange(color)}
            />
            <span
              aria-hidden="true"
              className="size-4 rounded-full"
              style={{ background: `var(--tag-${color})` }}
            />
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** Merges a tag into another one. */
export function MergeDialog({ tag, onClose }: { tag: Tag; onClose: () => void }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const changed = useGroupsChanged()
  const [text, setText] = useState('')
  const [into, setInto] = useState<Tag | null>(null)
  const found = useQuery(offeredTagsQuery(workspace.id, useLeadingDebounce(text, 150)))
  const others = found.data?.filter(({ id }) => id !== tag.id) ?? []
  const merge = useMutation({
    mutationFn: (target: Tag) => mergeTag(tag.id, target.id),
    async onSuccess(target) {
      await changed()
      showToast({ title: t('tags.merged', { name: tag.name, into: target.name }) })
      onClose()
    },
  })
  return (
    <Dialog
      onClose={onClose}
      title={t('tags.mergeTitle', { name: tag.name })}
      description={t('tags.mergeText')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            variant="primary"
            disabled={into === null}
            loading={merge.isPending}
            onClick={() => into && merge.mutate(into)}
          >
            {t('tags.mergeDo')}
          </Button>
        </>
      }
    >
      <FormError error={merge.error ?? found.error} />
      <TextField
        label={t('tags.mergeInto')}
        value={text}
        placeholder={t('tags.search')}
        autoComplete="off"
        onChange={setText}
      />
      <ul className="flex max-h-64 flex-col overflow-y-auto">
        {others.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-pressed={into?.id === one.id}
              onClick={() => setInto(one)}
              className={cx(
                'flex h-9 w-full items-center gap-2 rounded-sm px-2 text-start hover:bg-hover pointer-coarse:h-11',
                into?.id === one.id && 'bg-accent-soft! font-medium',
              )}
            >
              <TagDot color={one.color} />
              <span className="flex min-w-0 flex-1">
                <bdi className="truncate">{one.name}</bdi>
              </span>
              <span className="text-faint text-sm">{t('tags.links', { count: one.links })}</span>
            </button>
          </li>
        ))}
        {found.isSuccess && others.length === 0 ? (
          <li className="px-2 py-3 text-muted text-sm">{t('tags.none')}</li>
        ) : null}
      </ul>
    </Dialog>
  )
}

/** Confirms deleting a tag. */
export function DeleteTagDialog({ tag, onClose }: { tag: Tag; onClose: () => void }) {
  const { t } = useI18n()
  const changed = useGroupsChanged()
  const remove = async () => {
    await deleteTag(tag.id)
    await changed()
    showToast({ title: t('tags.deleted', { name: tag.name }) })
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('tags.deleteTitle', { name: tag.name })}
      description={t('tags.deleteText', { count: tag.links })}
      action={t('tags.delete')}
      onConfirm={remove}
    />
  )
}
