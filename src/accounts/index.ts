export { createAccounts, type OpenAccounts } from './accounts.ts'
export { createInvitations, createSendInvitation } from './invitations.ts'
export type { Accounts } from './types.ts'
