import { type ComponentType, lazy } from 'react'
import { part } from './part.ts'

// biome-ignore lint/suspicious/noExplicitAny: as React's own `lazy` has it
type AnyComponent = ComponentType<any>

/** A component that is loaded when it is first rendered. */
export function lazyComponent<Part extends Record<Name, AnyComponent>, Name extends string>(
  load: () => Promise<Part>,
  name: Name,
) {
  return lazy(async () => ({ default: (await part(load))[name] }))
}
