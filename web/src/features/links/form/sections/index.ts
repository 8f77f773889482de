import { DETAILS } from './details.tsx'
import { LIMITS } from './limits.tsx'
import { REDIRECT } from './redirect.tsx'
import { SCHEDULE } from './schedule.tsx'
import type { FormSection } from './section.tsx'

/** The sections below the fields that every link has, in their order. */
export const SECTIONS: readonly FormSection[] = [REDIRECT, SCHEDULE, LIMITS, DETAILS]
