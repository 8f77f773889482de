import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { FormDialog } from '../../../ui/dialog.tsx'
import { fieldError } from '../../../ui/errors.ts'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { type Content, createView, updateView, type View } from './queries.ts'
import { type SavedOf, TEXTS } from './texts.ts'
import { useViews } from './use-views.ts'

const NAME_MAX = 50

/** Saves what is shown under a name, or renames and shares what was saved. */
export function ViewDialog({
  of,
  view,
  shown,
  onClose,
}: {
  of: SavedOf
  /** Null: a new one. */
  view: View | null
  shown: Content
  onClose: () => void
}) {
  const { t } = useI18n()
  const { may } = usePlace()
  const { refresh } = useViews(of)
  const [name, setName] = useState(view?.name ?? '')
  const [shared, setShared] = useState(view?.shared ?? false)
  const save = useMutation({
    mutationFn: () =>
      view === null
        ? createView({ name, shared, ...shown })
        : updateView(view.id, { name, shared }),
    async onSuccess(saved) {
      await refresh()
      showToast({ title: t(TEXTS[of].saved, { name: saved.name }) })
      onClose()
    },
  })
  return (
    <FormDialog
      title={t(view === null ? TEXTS[of].save : 'links.views.edit')}
      action={t(view === null ? TEXTS[of].save : 'common.save')}
      task={save}
      fields={['name']}
      onClose={onClose}
    >
      <TextField
        label={t('links.views.name')}
        error={fieldError(save.error, 'name')}
        value={name}
        maxLength={NAME_MAX}
        autoComplete="off"
        onChange={setName}
      />
      {may('links:write') ? (
        <Switch
          label={t('links.views.share')}
          hint={t('links.views.shareHint')}
          checked={shared}
          onChange={setShared}
        />
      ) : null}
    </FormDialog>
  )
}
