import type { FunctionComponent } from 'react'

/** A control in each of its states. */
export interface Sample {
  /** The component's name. */
  name: string
  states: Readonly<Record<string, FunctionComponent>>
}
