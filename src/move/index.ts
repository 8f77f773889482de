export { inHex, isSame } from './digest.ts'
export { MoveRefused, type MoveResult, moveInstance } from './move.ts'
