import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { localTime } from '../links/form/draft.ts'
import { PasswordField } from '../links/form/password-field.tsx'
import { Made } from './made.tsx'
import {
  createShare,
  SHOW_DEFAULT,
  SHOW_NAMES,
  type Share,
  type ShareSubject,
  type Show,
  sharesKey,
  updateShare,
} from './queries.ts'
import { SHOW_LABELS } from './words.ts'

/** The subject of a new share. */
export interface NewShare {
  subject: ShareSubject
  name: string
  filters?: Record<string, string[]>
}

/** Creates or changes a share. */
export default function ShareDialog({
  share = null,
  fresh,
  onClose,
}: {
  /** Null: a new one. */
  share?: Share | null
  fresh?: NewShare
  onClose: () => void
}) {
  const { t } = useI18n()
  const [made, setMade] = useState<Share | null>(null)
  if (made !== null) return <Made share={made} onClose={onClose} />
  return (
    <ShareForm
      share={share}
      fresh={fresh}
      onClose={onClose}
      onSaved={(saved) => {
        if (share === null) return setMade(saved)
        showToast({ title: t('common.saved') })
        onClose()
      }}
    />
  )
}

function ShareForm({
  share,
  fresh,
  onClose,
  onSaved,
}: {
  share: Share | null
  fresh: NewShare | undefined
  onClose: () => void
  onSaved: (share: Share) => void
}) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [name, setName] = useState(share?.name ?? fresh?.name ?? '')
  const [show, setShow] = useState<readonly Show[]>(share?.show ?? SHOW_DEFAULT)
  const [password, setPassword] = useState<string | null>(null)
  const [expires, setExpires] = useState(localTime(share?.expires_at ?? null))
  const hasFilters = Object.keys(share?.filters ?? fresh?.filters ?? {}).length > 0
  const save = useMutation({
    mutationFn: () => {
      const body = {
        name: name.trim() || null,
        show: [...show],
        expires_at: expires === '' ? null : new Date(expires).toISOString(),
        // Null: unchanged; empty: removed.
        ...(password !== null && { password: password || null }),
      }
      if (share !== null) return updateShare(share.id, body)
      const { subject = { workspace: true as const }, filters = {} } = fresh ?? {}
      return createShare({ ...body, subject, filters })
    },
    async onSuccess(saved) {
      await client.invalidateQueries({ queryKey: sharesKey(workspace.id) })
      onSaved(saved)
    },
  })
  return (
    <FormDialog
      title={t('shares.dialog')}
      description={t('shares.text')}
      action={t(share === null ? 'shares.share' : 'common.save')}
      task={save}
      fields={['name', 'password', 'expires_at']}
      onClose={onClose}
    >
      <TextField
        label={t('tags.name')}
        hint={t('shares.name.hint')}
        error={fieldError(save.error, 'name')}
        dir="auto"
        value={name}
        maxLength={100}
        autoComplete="off"
        onChange={setName}
      />
      <ShowField value={show} onChange={setShow} />
      {hasFilters ? <p className="text-muted text-sm">{t('shares.filtered')}</p> : null}
      <PasswordField
        value={password}
        onChange={setPassword}
        hasPassword={share?.has_password ?? false}
        error={fieldError(save.error, 'password')}
      />
      <TextField
        label={t('shares.expires')}
        error={fieldError(save.error, 'expires_at')}
        type="datetime-local"
        value={expires}
        onChange={setExpires}
      />
    </FormDialog>
  )
}

function ShowField({
  value,
  onChange,
}: {
  value: readonly Show[]
  onChange: (show: readonly Show[]) => void
}) {
  const { t } = useI18n()
  return (
    <fieldset>
      <legend className="mb-2 font-medium text-sm">{t('shares.show')}</legend>
      <div className="grid grid-cols-[auto_auto] gap-x-4 gap-y-2">
        {SHOW_NAMES.map((name) => (
          <Checkbox
            key={name}
            label={t(SHOW_LABELS[name])}
            checked={value.includes(name)}
            onChange={(checked) =>
              onChange(SHOW_NAMES.filter((one) => (one === name ? checked : value.includes(one))))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}
