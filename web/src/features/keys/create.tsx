import { SCOPES, type Scope } from '@src/model/keys/scopes.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError, fieldsWithin } from '../../ui/errors.ts'
import { FieldError } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { changesOf, draftOf } from './draft.ts'
import { createKey, type MadeKey } from './queries.ts'
import { RestrictionsSection } from './restrictions.tsx'

const EXPIRIES = ['never', '30', '90', '365', 'date'] as const
type Expiry = (typeof EXPIRIES)[number]

const UNRESTRICTED = draftOf(null)

/** The time of an expiry; null: never. A date means its end in the person's time zone. */
function expiryTime(expiry: Expiry, date: string): string | null {
  if (expiry === 'never') return null
  if (expiry === 'date') return new Date(`${date}T23:59:59.999`).toISOString()
  return new Date(Date.now() + Number(expiry) * 86_400_000).toISOString()
}

/** Creates a key. */
export function CreateDialog({
  onClose,
  onMade,
}: {
  onClose: () => void
  onMade: (made: MadeKey) => void
}) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>(['links:read', 'links:write'])
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [date, setDate] = useState('')
  const [restrictions, setRestrictions] = useState(UNRESTRICTED)
  const [tried, setTried] = useState(false)
  const id = useId()
  const create = useMutation({
    mutationFn: () =>
      createKey({
        name,
        scopes,
        restrictions: changesOf(restrictions, UNRESTRICTED),
        expires_at: expiryTime(expiry, date),
      }),
    onSuccess(made) {
      void client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'keys') })
      void client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'usage') })
      onMade(made)
    },
  })
  const submit = () => {
    setTried(true)
    if (scopes.length > 0) create.mutate()
  }
  const { error } = create
  const scopesError =
    tried && scopes.length === 0 ? t('keys.scope.needed') : fieldError(error, 'scopes')
  return (
    <FormDialog
      title={t('keys.create.title')}
      action={t('keys.create')}
      task={create}
      fields={['name', 'scopes', 'expires_at', ...fieldsWithin(error, 'restrictions')]}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('keys.name')}
        hint={t('keys.name.hint')}
        error={fieldError(error, 'name')}
        required
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
      <fieldset className="flex flex-col gap-2" aria-describedby={`${id}-scopes`}>
        <legend className="mb-2 font-medium text-sm">{t('keys.scopes')}</legend>
        {SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            checked={scopes.includes(scope)}
            onChange={(checked) =>
              setScopes(SCOPES.filter((one) => (one === scope ? checked : scopes.includes(one))))
            }
            label={t(`keys.scope.${scope}`)}
            hint={<code dir="ltr">{scope}</code>}
          />
        ))}
        <FieldError id={`${id}-scopes`} message={scopesError} />
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('keys.expiry')}
          error={fieldError(error, 'expires_at')}
          value={expiry}
          onChange={setExpiry}
          options={EXPIRIES.map((value) => ({ value, label: t(`keys.expiry.${value}`) }))}
        />
        {expiry === 'date' ? (
          <TextField
            label={t('keys.expiry.on')}
            type="date"
            required
            min={new Date().toISOString().slice(0, 10)}
            value={date}
            onChange={setDate}
          />
        ) : null}
      </div>
      <RestrictionsSection
        draft={restrictions}
        set={(change) => setRestrictions({ ...restrictions, ...change })}
        error={error}
      />
    </FormDialog>
  )
}
