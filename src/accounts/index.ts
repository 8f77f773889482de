export { type AccountsDeps, createAccounts, type OpenAccounts } from './accounts.ts'
export { createInvitations, createSendInvitation } from './invitations.ts'
export type { AccountService, Accounts, FoundInvitation, Invitations } from './types.ts'
