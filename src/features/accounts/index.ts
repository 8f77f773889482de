export { type Accounts, createAccounts, type OpenAccounts } from './accounts.ts'
export { createInvitations, createSendInvitation } from './invitations.ts'
