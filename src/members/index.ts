export {
  createInvitationService,
  INVITATION_MS,
  type Invitation,
  type InvitationService,
  type Invited,
} from './invitations.ts'
export { createMemberService, type Member, type MemberService } from './service.ts'
export type { InvitationMail, SendInvitation } from './types.ts'
