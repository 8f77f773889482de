import { DETAILS } from './details.tsx'
import { LIMITS } from './limits.tsx'
import { REDIRECT } from './redirect.tsx'
import { RULES } from './rules.tsx'
import { SCHEDULE } from './schedule.tsx'
import type { FormSection } from './section.tsx'
import { SOCIAL } from './social.tsx'
import { SPLIT } from './split.tsx'
import { TRACKING } from './tracking.tsx'
import { UTM } from './utm.tsx'

/** The sections below the fields that every link has, in order. */
export const SECTIONS: readonly FormSection[] = [
  RULES,
  SPLIT,
  UTM,
  REDIRECT,
  SCHEDULE,
  LIMITS,
  SOCIAL,
  DETAILS,
  TRACKING,
]
