export { isSame } from './digest.ts'
export { type MoveResult, moveInstance } from './move.ts'
