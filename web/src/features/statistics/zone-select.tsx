import { useMemo } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import type { ComboboxProps } from '../../ui/listbox.tsx'
import { ownTimeZone } from './range.ts'

/** Some browsers keep the former names of zones, which people don't search for. */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/** Chooses a time zone: the person's and UTC come first. */
export function ZoneSelect(props: Omit<ComboboxProps, 'label' | 'options'>) {
  const { t } = useI18n()
  const { value } = props
  const zones = useMemo(() => {
    const all = new Set([ownTimeZone(), 'UTC', value, ...Intl.supportedValuesOf('timeZone')])
    return [...all].map((zone) => ({
      value: zone,
      label: (RENAMED[zone] ?? zone).replaceAll('_', ' '),
    }))
  }, [value])
  return <Combobox {...props} label={t('statistics.timeZone')} options={zones} />
}
