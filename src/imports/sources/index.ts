import type { SourceRecord } from '../formats/index.ts'
import { bitly } from './bitly.ts'
import { dub } from './dub.ts'
import { kutt } from './kutt.ts'
import { shlink } from './shlink.ts'
import { shortIo } from './short_io.ts'
import type { Source } from './types.ts'
import { yourls } from './yourls.ts'

export type { Ask, Page, Source } from './types.ts'

/** Services whose links are read over their APIs. */
export const SOURCES = {
  shlink,
  kutt,
  yourls,
  dub,
  bitly,
  short_io: shortIo,
} as const satisfies Record<string, Source>
export type SourceName = keyof typeof SOURCES
export const SOURCE_NAMES = Object.keys(SOURCES) as [SourceName, ...SourceName[]]
export type { SourceRecord }
