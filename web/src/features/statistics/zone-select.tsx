import { useMemo } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import type { ComboboxProps } from '../../ui/listbox.tsx'
import { ownTimeZone } from './range.ts'

/** Chooses a time zone: the person's and UTC come first. */
export function ZoneSelect(props: Omit<ComboboxProps, 'label' | 'options'>) {
  const { t } = useI18n()
  const { value } = props
  const zones = useMemo(() => {
    const all = new Set([ownTimeZone(), 'UTC', value, ...Intl.supportedValuesOf('timeZone')])
    return [...all].map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
  }, [value])
  return <Combobox {...props} label={t('statistics.timeZone')} options={zones} />
}
