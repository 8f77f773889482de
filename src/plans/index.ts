export { DEFAULT_PLANS, UNLIMITED } from './defaults.ts'
export { loadPlans } from './load.ts'
export { createPlans, type Plans } from './service.ts'
export type { Plan, PlanLimits } from './types.ts'
