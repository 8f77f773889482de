import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog, FormDialog } from '../../../ui/dialog.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { SkeletonRows } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { addPasskey, passkeysWork } from '../../auth/passkeys.ts'
import { type Passkey, passkeysQuery, removePasskey } from '../queries.ts'

/** The person's passkeys. */
export function PasskeysSection() {
  const { t } = useI18n()
  const passkeys = useQuery(passkeysQuery)
  const [adding, setAdding] = useState(false)
  const works = passkeysWork()
  return (
    <CardSection
      title={t('settings.passkeys')}
      description={t(works ? 'settings.passkeys.text' : 'settings.passkeys.unsupported')}
      actions={
        works ? (
          <Button size="sm" icon={<Plus />} onClick={() => setAdding(true)}>
            {t('settings.passkeys.add')}
          </Button>
        ) : null
      }
    >
      <Answer of={passkeys} loading={<SkeletonRows count={1} />}>
        {(all) =>
          all.length === 0 ? (
            <p className="text-muted">{t('settings.passkeys.none')}</p>
          ) : (
            <ul className="border-line border-t">
              {all.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </Answer>
      {adding ? <AddDialog onClose={() => setAdding(false)} /> : null}
    </CardSection>
  )
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { t, format } = useI18n()
  const client = useQueryClient()
  const name = passkey.name || t('settings.passkeys.unnamed')
  const [removing, setRemoving] = useState(false)
  const remove = async () => {
    await removePasskey(passkey.id)
    await client.invalidateQueries({ queryKey: passkeysQuery.queryKey })
    showToast({ title: t('settings.passkeys.removed') })
  }
  return (
    <li className="flex items-center gap-3 border-line border-b py-2.5">
      <KeyRound size={16} className="shrink-0 text-faint" />
      <div className="flex min-w-0 flex-1 flex-col">
        <span className="truncate font-medium">{name}</span>
        {passkey.createdAt === null ? null : (
          <span className="text-faint text-sm">
            {t('settings.passkeys.addedOn', { date: format.date(passkey.createdAt) })}
          </span>
        )}
      </div>
      <Button
        size="sm"
        aria-label={t('settings.passkeys.removeOf', { name })}
        onClick={() => setRemoving(true)}
      >
        {t('settings.passkeys.remove')}
      </Button>
      {removing ? (
        <ConfirmDialog
          title={t('settings.passkeys.removeOf', { name })}
          description={t('settings.passkeys.removeText')}
          action={t('settings.passkeys.remove')}
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        />
      ) : null}
    </li>
  )
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: () => addPasskey(name),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: passkeysQuery.queryKey })
      showToast({ title: t('settings.passkeys.added') })
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('settings.passkeys.add')}
      action={t('settings.passkeys.add')}
      task={add}
      onClose={onClose}
    >
      <TextField
        label={t('settings.passkeys.name')}
        hint={t('settings.passkeys.name.hint')}
        required
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
    </FormDialog>
  )
}
