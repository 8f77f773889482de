export { type Choice, choose, type Plan, planOf, type Trace } from './decide.ts'
export { createRuleFields, RULE_FIELDS } from './schemas.ts'
export type { Rule, RuleAnswer, Variant, When } from './types.ts'
export { Visitor, type VisitorFacts } from './visitor.ts'
