import { useMutation } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { type DragEvent, useId, useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { errorText } from '../../ui/errors.ts'
import { PlanForm } from './plan-form.tsx'
import { type Plan, previewFile } from './queries.ts'

const ACCEPT = '.csv,.tsv,.ndjson,.jsonl,.json,text/csv,application/json'

/** Upload a file, preview it, and check it. */
export function FromFile({ onCheck, busy }: { onCheck: (plan: Plan) => void; busy: boolean }) {
  const i18n = useI18n()
  const [file, setFile] = useState<File | null>(null)
  const preview = useMutation({ mutationFn: previewFile })

  function take(chosen: File | undefined) {
    if (chosen === undefined) return
    setFile(chosen)
    preview.mutate(chosen)
  }

  if (file !== null && preview.data !== undefined) {
    return (
      <PlanForm
        file={file}
        preview={preview.data}
        busy={busy}
        onCheck={(options) => onCheck({ kind: 'file', file, options })}
        onBack={() => {
          setFile(null)
          preview.reset()
        }}
      />
    )
  }
  return (
    <div className="flex flex-col gap-3 pt-4">
      <DropZone onFile={take} busy={preview.isPending} />
      {preview.error === null ? null : (
        <p role="alert" className="text-bad text-sm">
          {errorText(preview.error, i18n)}
        </p>
      )}
    </div>
  )
}

function DropZone({ onFile, busy }: { onFile: (file: File | undefined) => void; busy: boolean }) {
  const { t } = useI18n()
  const id = useId()
  const [over, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onFile(event.dataTransfer.files[0])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same by keyboard
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={cx(
        'flex flex-col items-center gap-3 rounded-md border border-line-strong border-dashed px-4 py-12 text-center',
        over && 'bg-accent-soft',
      )}
    >
      <FileUp size={28} className="text-faint" />
      <p className="font-medium">{t('imports.drop')}</p>
      <input
        id={id}
        type="file"
        accept={ACCEPT}
        // The button opens it, also for screen readers.
        className="hidden"
        aria-label={t('imports.choose')}
        onChange={({ target }) => {
          onFile(target.files?.[0])
          target.value = ''
        }}
      />
      <Button variant="primary" loading={busy} onClick={() => document.getElementById(id)?.click()}>
        {t('imports.choose')}
      </Button>
    </div>
  )
}
