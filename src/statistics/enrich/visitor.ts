export { visitorBits as visitorOf } from '../../clicks/visitor-bits.ts'
