import {
  bearsLogo,
  CONTRAST_MIN,
  CORRECTIONS,
  contrastOf,
  EYE_SHAPES,
  isInverted,
  MODULE_SHAPES,
} from '@src/features/qr/drawing.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, Download } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { saveAs } from '../../../lib/download.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button, WRAPPING } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { showToast, useAction } from '../../../ui/toast.tsx'
import type { Link } from '../queries.ts'
import QrCode from './code.tsx'
import { logoQuery, type QrStyle, qrFile, qrStyleQuery, setQrStyle, shownLogo } from './queries.ts'
import { Scans } from './scans.tsx'

const SIZES = ['256', '512', '1024', '2048', '4096'] as const
const MARGINS = [0, 1, 2, 4, 8]

/** The code of a link: to look at, to change, to take away. */
export function QrPanel({ link }: { link: Link }) {
  const { workspace } = usePlace()
  const saved = useQuery(qrStyleQuery(workspace.id))
  return <Answer of={saved}>{(style) => <Panel link={link} saved={style} />}</Answer>
}

function Panel({ link, saved }: { link: Link; saved: QrStyle }) {
  const { workspace, may } = usePlace()
  const { data: logo } = useQuery(logoQuery(workspace))
  const [size, setSize] = useState('512')
  const [chosen, setChosen] = useState(saved)
  const set: Setter = (change) =>
    setChosen((before) => {
      const next = { ...before, ...change }
      const tooWeak = next.logo && !bearsLogo(next.correction)
      return tooWeak ? { ...next, correction: 'H' } : next
    })
  const style = { ...chosen, logo: chosen.logo && Boolean(logo) }
  return (
    <div className="flex flex-wrap gap-6">
      <div className="flex w-44 flex-col gap-3">
        <div className="overflow-hidden rounded-md border border-line">
          <QrCode
            // Distinguishes scans from clicks.
            text={`${link.short_url}?qr=1`}
            size={176}
            style={style}
            logo={style.logo && logo ? shownLogo(logo) : undefined}
          />
        </div>
        <Takeaway link={link} style={{ ...style, size }} />
        <Scans link={link} />
      </div>
      <div className="grid min-w-56 flex-1 grid-cols-2 content-start gap-3">
        <Choices style={style} set={set} size={size} setSize={setSize} />
        {logo ? (
          <Logo checked={style.logo} onChange={(on) => set({ logo: on })} />
        ) : logo === null ? (
          <NoLogo />
        ) : null}
        <Warning style={style} />
        {may('links:write') ? <Save style={chosen} saved={saved} /> : null}
      </div>
    </div>
  )
}

/** Keeps the style for all codes of the workspace. */
function Save({ style, saved }: { style: QrStyle; saved: QrStyle }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const save = useAction(async () => {
    client.setQueryData(qrStyleQuery(workspace.id).queryKey, await setQrStyle(style))
    showToast({ title: t('common.saved') })
  })
  const isSaved = (Object.keys(saved) as (keyof QrStyle)[]).every(
    (key) => style[key] === saved[key],
  )
  return (
    <div className="col-span-2 flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <Button
        // Not disabled, which would take the focus away from it.
        aria-disabled={isSaved}
        loading={save.isPending}
        onClick={() => isSaved || save.mutate()}
      >
        {t('links.qr.save')}
      </Button>
      <p className="text-faint text-xs">{t('links.qr.save.hint')}</p>
    </div>
  )
}

/** To a file, or to the clipboard. */
function Takeaway({ link, style }: { link: Link; style: QrStyle & { size: string } }) {
  const { t } = useI18n()
  const save = useAction(async (format: 'svg' | 'png') =>
    saveAs(await qrFile(link, format, style), `${link.slug.replaceAll('/', '-')}.${format}`),
  )
  const copy = async () => {
    try {
      // A promise, because the browser only waits for that after a press.
      const picture = new ClipboardItem({ 'image/png': qrFile(link, 'png', style) })
      await navigator.clipboard.write([picture])
      showToast({ title: t('links.qr.copied') })
    } catch {
      showToast({ title: t('links.qr.notCopied'), bad: true })
    }
  }
  return (
    <div className="grid grid-cols-2 gap-2">
      {(['svg', 'png'] as const).map((format) => (
        <Button
          key={format}
          aria-label={t('links.qr.download', { format: format.toUpperCase() })}
          icon={<Download />}
          onClick={() => save.mutate(format)}
        >
          {format.toUpperCase()}
        </Button>
      ))}
      {'ClipboardItem' in window ? (
        <Button className={`col-span-2 ${WRAPPING}`} icon={<Copy />} onClick={() => void copy()}>
          {t('links.qr.copy')}
        </Button>
      ) : null}
    </div>
  )
}

type Setter = (change: Partial<QrStyle>) => void

function Choices({
  style,
  set,
  size,
  setSize,
}: {
  style: QrStyle
  set: Setter
  size: string
  setSize: (size: string) => void
}) {
  const { t } = useI18n()
  // The server takes more of them than are usual.
  const margins = [...new Set([...MARGINS, style.margin])].sort((a, b) => a - b)
  const corrections = style.logo ? CORRECTIONS.filter(bearsLogo) : CORRECTIONS
  return (
    <>
      <SelectField
        label={t('links.qr.shape')}
        value={style.modules}
        onChange={(modules) => set({ modules })}
        options={MODULE_SHAPES.map((value) => ({ value, label: t(`links.qr.shape.${value}`) }))}
      />
      <SelectField
        label={t('links.qr.eyes')}
        value={style.eyes}
        onChange={(eyes) => set({ eyes })}
        options={EYE_SHAPES.map((value) => ({ value, label: t(`links.qr.eyes.${value}`) }))}
      />
      <Color label={t('links.qr.dark')} value={style.dark} onChange={(dark) => set({ dark })} />
      <Color label={t('links.qr.light')} value={style.light} onChange={(light) => set({ light })} />
      <SelectField
        label={t('links.qr.size')}
        value={size}
        onChange={setSize}
        options={SIZES.map((value) => ({
          value: value as string,
          label: t('links.qr.pixels', { value }),
        }))}
      />
      <SelectField
        label={t('links.qr.quiet')}
        value={String(style.margin)}
        onChange={(margin) => set({ margin: Number(margin) })}
        options={margins.map((count) => ({
          value: String(count),
          label: t('links.qr.modules', { count }),
        }))}
      />
      <SelectField
        className="col-span-2"
        label={t('links.qr.correction')}
        value={style.correction}
        onChange={(correction) => set({ correction })}
        options={corrections.map((value) => ({
          value,
          label: t(`links.qr.correction.${value}`),
        }))}
      />
    </>
  )
}

function Logo({ checked, onChange }: { checked: boolean; onChange: (on: boolean) => void }) {
  const { t } = useI18n()
  return (
    <Checkbox
      className="col-span-2"
      checked={checked}
      onChange={onChange}
      label={t('links.qr.logo')}
      hint={t('links.qr.logo.hint')}
    />
  )
}

function NoLogo() {
  const { t } = useI18n()
  return <p className="col-span-2 text-muted text-sm">{t('links.qr.noLogo')}</p>
}

function Warning({ style }: { style: QrStyle }) {
  const { t } = useI18n()
  const weak = contrastOf(style) < CONTRAST_MIN
  const text = weak ? t('links.qr.weak') : isInverted(style) ? t('links.qr.inverted') : ''
  return (
    <>
      <p role="status" className={text === '' ? 'sr-only' : 'col-span-2 text-sm text-warn'}>
        {text}
      </p>
      <p className="col-span-2 text-faint text-xs">{t('links.qr.marker')}</p>
    </>
  )
}

function Color({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  return (
    <TextField
      label={label}
      type="color"
      value={value}
      onChange={onChange}
      controlClass="cursor-pointer p-0.5!"
    />
  )
}
