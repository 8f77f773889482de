export { choose, type Plan, planOf, type Trace } from './decide.ts'
export { shadowedRules } from './shadow.ts'
export type { Rule, RuleAnswer, Variant } from './types.ts'
export { Visitor, type VisitorFacts } from './visitor.ts'
