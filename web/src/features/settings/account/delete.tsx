import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/field.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { fieldError, formError } from '../../auth/errors.ts'
import { deleteAccount } from '../calls.ts'

const FIELDS = ['confirm_email']

/** Ends the person's account. It can't be undone, so the address has to be typed. */
export function DeleteAccountSection() {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  return (
    <CardSection
      title={t('settings.account.delete')}
      description={t('settings.account.delete.text')}
    >
      <Button variant="danger" className="self-start" onClick={() => setOpen(true)}>
        {t('settings.account.delete')}
      </Button>
      {open ? <DeleteDialog onClose={() => setOpen(false)} /> : null}
    </CardSection>
  )
}

function DeleteDialog({ onClose }: { onClose: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const { user } = usePlace()
  const [typed, setTyped] = useState('')
  const formId = useId()
  const remove = useMutation({
    mutationFn: () => deleteAccount(typed),
    // Everything that is loaded was somebody's who isn't there any more.
    onSuccess: () => window.location.assign('/app/sign-in'),
  })
  const fits = typed.trim().toLowerCase() === user.email.toLowerCase()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (fits) remove.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('settings.account.delete.title')}
      description={t('settings.account.delete.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            type="submit"
            form={formId}
            variant="danger"
            disabled={!fits}
            loading={remove.isPending}
          >
            {t('settings.account.delete')}
          </Button>
        </>
      }
    >
      <FormError message={formError(remove.error, i18n, FIELDS)} />
      <form id={formId} onSubmit={submit} className="flex flex-col gap-5">
        <TextField
          label={t('settings.account.delete.confirm', { email: user.email })}
          error={fieldError(remove.error, 'confirm_email')}
          type="email"
          autoComplete="off"
          value={typed}
          onChange={setTyped}
        />
      </form>
    </Dialog>
  )
}
