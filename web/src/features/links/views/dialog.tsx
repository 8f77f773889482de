import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, FormError } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { fieldError, formError } from '../../auth/errors.ts'
import { createView, type Shown, updateView, type View } from './calls.ts'
import { useViews } from './use-views.ts'

const NAME_MAX = 50

/** Saves what the list shows under a name, or renames and shares a view. */
export function ViewDialog({
  view,
  shown,
  onClose,
}: {
  /** Null: a new one. */
  view: View | null
  shown: Shown
  onClose: () => void
}) {
  const i18n = useI18n()
  const { t } = i18n
  const { may } = usePlace()
  const { refresh } = useViews()
  const formId = useId()
  const [name, setName] = useState(view?.name ?? '')
  const [shared, setShared] = useState(view?.shared ?? false)
  const save = useMutation({
    mutationFn: () =>
      view === null
        ? createView({ name, shared, ...shown })
        : updateView(view.id, { name, shared }),
    async onSuccess(saved) {
      await refresh()
      showToast({ title: t('links.views.saved', { name: saved.name }) })
      onClose()
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t(view === null ? 'links.views.save' : 'links.views.edit')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form={formId} loading={save.isPending}>
            {t(view === null ? 'links.views.save' : 'common.save')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <FormError message={formError(save.error, i18n, ['name'])} />
        <Field label={t('links.views.name')} error={fieldError(save.error, 'name')}>
          {(control) => (
            <Input
              {...control}
              value={name}
              maxLength={NAME_MAX}
              autoComplete="off"
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        {may('links:write') ? (
          <Switch
            label={t('links.views.share')}
            hint={t('links.views.shareHint')}
            checked={shared}
            onChange={setShared}
          />
        ) : null}
      </form>
    </Dialog>
  )
}
