import { useSyncExternalStore } from 'react'

/** Columns of the table that can be hidden. */
export const OPTIONAL = ['tags', 'days', 'clicks', 'creator', 'created'] as const
export type OptionalColumn = (typeof OPTIONAL)[number]

const KEPT = 'slugline.columns.hidden'
/** Those hidden until the person chooses. */
const DEFAULT = 'creator'
const changed = new EventTarget()

const kept = () => localStorage.getItem(KEPT) ?? DEFAULT

/** The columns hidden by this person, in this browser. */
export function useHiddenColumns(): ReadonlySet<OptionalColumn> {
  const names = useSyncExternalStore((listen) => {
    changed.addEventListener('change', listen)
    return () => changed.removeEventListener('change', listen)
  }, kept).split(' ')
  return new Set(OPTIONAL.filter((name) => names.includes(name)))
}

/** Hides these columns, and shows all others. */
export function hideColumns(hidden: readonly OptionalColumn[]): void {
  localStorage.setItem(KEPT, hidden.join(' '))
  changed.dispatchEvent(new Event('change'))
}
