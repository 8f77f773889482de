import { type FormEvent, useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FolderField } from '../links/form/sections/folder-field.tsx'
import { ConflictField } from './plan-form.tsx'
import type { Options, Plan, RemoteBody } from './queries.ts'

const SERVICES = [
  { value: 'shlink', label: 'Shlink' },
  { value: 'kutt', label: 'Kutt' },
  { value: 'yourls', label: 'YOURLS' },
  { value: 'dub', label: 'Dub' },
  { value: 'bitly', label: 'Bitly' },
  { value: 'short_io', label: 'Short.io' },
] as const satisfies readonly { value: RemoteBody['source']; label: string }[]

/** Self-hosted services, which need a URL. */
const SELF_HOSTED: readonly string[] = ['shlink', 'kutt', 'yourls']

/** All links of a service, over its API. */
export function FromService({ onCheck, busy }: { onCheck: (plan: Plan) => void; busy: boolean }) {
  const { t } = useI18n()
  const [source, setSource] = useState<RemoteBody['source']>('shlink')
  const [address, setAddress] = useState('')
  const [token, setToken] = useState('')
  const [conflict, setConflict] = useState<Options['on_conflict']>('skip')
  const [folder, setFolder] = useState<string | null>(null)
  const needsAddress = SELF_HOSTED.includes(source)
  const ready = token !== '' && (!needsAddress || address !== '')

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!ready) return
    const body = {
      source,
      token: token.trim(),
      on_conflict: conflict,
      ...(folder !== null && { folder_id: folder }),
    }
    onCheck({
      kind: 'service',
      body: needsAddress ? { ...body, base_url: address.trim() } : body,
    })
  }

  return (
    <form onSubmit={submit} className="flex max-w-176 flex-col gap-4 pt-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('imports.from')}
          value={source}
          onChange={setSource}
          options={SERVICES}
        />
        <ConflictField value={conflict} onChange={setConflict} />
        <FolderField value={folder} onChange={setFolder} />
      </div>
      {needsAddress ? (
        <TextField
          label={t('imports.address')}
          type="url"
          inputMode="url"
          value={address}
          onChange={setAddress}
          placeholder="https://s.example.org"
          dir="ltr"
        />
      ) : null}
      <TextField
        label={t('imports.token')}
        hint={t('imports.tokenHint')}
        type="password"
        autoComplete="off"
        value={token}
        onChange={setToken}
        dir="ltr"
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" disabled={!ready} loading={busy}>
          {t('imports.check')}
        </Button>
        <p className="text-muted text-sm">{t('imports.checkHint')}</p>
      </div>
    </form>
  )
}
