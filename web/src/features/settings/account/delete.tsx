import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog.tsx'
import { fieldError } from '../../../ui/errors.ts'
import { CardSection } from '../../../ui/page.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { deleteAccount } from '../queries.ts'

/** Deletes the person's account. It can't be undone, so the address has to be typed. */
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
  const { t } = useI18n()
  const { user } = usePlace()
  const [typed, setTyped] = useState('')
  const remove = useMutation({
    mutationFn: () => deleteAccount(typed),
    // A full page load clears all data of the deleted account.
    onSuccess: () => window.location.assign('/app/sign-in'),
  })
  const fits = typed.trim().toLowerCase() === user.email.toLowerCase()
  return (
    <FormDialog
      onClose={onClose}
      title={t('settings.account.delete.title')}
      description={t('settings.account.delete.text')}
      action={t('settings.account.delete')}
      danger
      disabled={!fits}
      task={remove}
      fields={['confirm_email']}
    >
      <TextField
        label={t('settings.account.delete.confirm', { email: user.email })}
        error={fieldError(remove.error, 'confirm_email')}
        type="email"
        autoComplete="off"
        value={typed}
        onChange={setTyped}
      />
    </FormDialog>
  )
}
