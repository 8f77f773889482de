import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { Field } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useLinkActions } from './actions.ts'
import { TagsInput } from './form/tags-input.tsx'
import type { Link } from './queries.ts'
import { nameOf } from './text.ts'

/** Changes the tags of one link. */
export function TagDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const { t } = useI18n()
  const actions = useLinkActions()
  const [tags, setTags] = useState<readonly string[]>(link.tags)
  const save = useMutation({
    mutationFn: () => actions.update(link, { tags: [...tags] }),
    onSuccess(changed) {
      const undo = changed.version > link.version ? { action: actions.undoOf(changed) } : {}
      showToast({ title: t('links.saved', { name: nameOf(changed) }), ...undo })
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('links.bulk.tags')}
      description={<bdi dir="ltr">{nameOf(link)}</bdi>}
      action={t('common.save')}
      task={save}
      fields={['tags']}
      onClose={onClose}
    >
      <Field label={t('links.field.tags')} error={fieldError(save.error, 'tags')}>
        {(control) => <TagsInput creates control={control} value={tags} onChange={setTags} />}
      </Field>
    </FormDialog>
  )
}
