export {
  createInvitationService,
  INVITATION_MS,
  type InvitationService,
  type SendInvitation,
} from './invitations.ts'
export { permissionsOf, ROLES } from './roles.ts'
export { createMemberService, type MemberService, takeOut } from './service.ts'
