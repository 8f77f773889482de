import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import type { Link } from '../calls.ts'
import QrCode from './code.tsx'
import {
  type Correction,
  contrast,
  DEFAULT_LOOK,
  luminance,
  type QrLook,
  qrPng,
  qrSvg,
} from './matrix.ts'

const SIZES = ['256', '512', '1024', '2048'] as const
const CORRECTIONS = ['L', 'M', 'Q', 'H'] as const
const QUIET = ['0', '1', '2', '4', '8'] as const

/** How codes look, and the size of the file. */
type Style = QrLook & { size: string }

/** A style is kept in this browser: most people want the same one for each code. */
const KEPT = 'slugline-qr-style'

function keptStyle(): Style {
  const standard: Style = { ...DEFAULT_LOOK, size: '512' }
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<Style>
    const isValid =
      [kept.dark, kept.light].every((colour) => /^#[\da-f]{6}$/i.test(colour ?? '')) &&
      CORRECTIONS.includes(kept.correction as Correction) &&
      QUIET.includes(String(kept.quiet) as (typeof QUIET)[number]) &&
      SIZES.includes(kept.size as (typeof SIZES)[number])
    return isValid ? { ...standard, ...kept } : standard
  } catch {
    return standard
  }
}

/** The code of a link: to look at, to change, to take away. */
export default function QrPanel({ link }: { link: Link }) {
  const { t } = useI18n()
  const [{ size, ...look }, setStyle] = useState(keptStyle)
  useEffect(() => localStorage.setItem(KEPT, JSON.stringify({ ...look, size })))
  const set = (change: Partial<Style>) => setStyle((before) => ({ ...before, ...change }))
  // Scans are told apart from clicks by this.
  const text = `${link.short_url}?qr=1`
  const pixels = Number(size)

  const save = async (kind: 'svg' | 'png') => {
    const blob =
      kind === 'png'
        ? await qrPng(text, look, pixels)
        : new Blob([qrSvg(text, look, pixels)], { type: 'image/svg+xml' })
    download(blob, `${link.slug}.${kind}`)
  }
  const weak = contrast(look.dark, look.light) < 3
  const inverted = luminance(look.dark) > luminance(look.light)
  return (
    <div className="flex flex-wrap gap-6">
      <div className="flex w-44 flex-col gap-3">
        <div className="overflow-hidden rounded-md border border-line">
          <QrCode text={text} size={176} look={look} />
        </div>
        <div className="grid grid-cols-2 gap-2">
          {(['svg', 'png'] as const).map((kind) => (
            <Button
              key={kind}
              aria-label={t('links.qr.download', { format: kind.toUpperCase() })}
              icon={<Download size={14} aria-hidden="true" />}
              onClick={() => save(kind)}
            >
              {kind.toUpperCase()}
            </Button>
          ))}
        </div>
      </div>
      <div className="grid min-w-56 flex-1 content-start gap-3 sm:grid-cols-2">
        <Colour label={t('links.qr.dark')} value={look.dark} onChange={(dark) => set({ dark })} />
        <Colour
          label={t('links.qr.light')}
          value={look.light}
          onChange={(light) => set({ light })}
        />
        <Field label={t('links.qr.size')}>
          {(control) => (
            <Select
              {...control}
              value={size}
              onChange={(next) => set({ size: next })}
              options={SIZES.map((value) => ({ value, label: t('links.qr.pixels', { value }) }))}
            />
          )}
        </Field>
        <Field label={t('links.qr.quiet')}>
          {(control) => (
            <Select
              {...control}
              value={String(look.quiet)}
              onChange={(quiet) => set({ quiet: Number(quiet) })}
              options={QUIET.map((value) => ({
                value: value as string,
                label: t('links.qr.modules', { count: Number(value) }),
              }))}
            />
          )}
        </Field>
        <Field label={t('links.qr.correction')} className="sm:col-span-2">
          {(control) => (
            <Select<Correction>
              {...control}
              value={look.correction}
              onChange={(correction) => set({ correction })}
              options={CORRECTIONS.map((value) => ({
                value,
                label: t(`links.qr.correction.${value}`),
              }))}
            />
          )}
        </Field>
        <p
          role="status"
          className={weak || inverted ? 'text-sm text-warn sm:col-span-2' : 'sr-only'}
        >
          {weak ? t('links.qr.weak') : inverted ? t('links.qr.inverted') : ''}
        </p>
        <p className="text-faint text-xs sm:col-span-2">{t('links.qr.marker')}</p>
      </div>
    </div>
  )
}

function Colour({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type="color"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className="cursor-pointer p-0.5!"
        />
      )}
    </Field>
  )
}

function download(blob: Blob, name: string): void {
  const anchor = document.createElement('a')
  anchor.href = URL.createObjectURL(blob)
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000)
}
