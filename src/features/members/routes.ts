import { z } from '@hono/zod-openapi'
import type { Cursors } from '../../http/cursor.ts'
import { type Api, assertAllowed, endpoint } from '../../http/index.ts'
import { pageAnswer, pageOfAll, pageParameters } from '../../http/page.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { createMemoryLimiter, type Limiter } from '../../platform/limits/index.ts'
import type { InvitationService, SendInvitation } from './invitations.ts'
import {
  InvitationListSchema,
  InvitationSchema,
  InviteSchema,
  type Member,
  MemberListSchema,
  MemberSchema,
  RemoveQuery,
  RoleSchema,
} from './schemas.ts'
import { type MemberService, memberPrincipalOf } from './service.ts'

const MEMBERS = '/api/v1/members'
const INVITATIONS = '/api/v1/invitations'
const TAG = 'Members'
const ByUser = z.object({ user_id: z.string() })
const Invitation = z.object({ id: z.string() })
/** Protects mailboxes from being flooded: 30 per workspace, then one per minute. */
const INVITES = { ratePerMinute: 1, burst: 30 }

interface MemberRoutesDeps {
  members: MemberService
  invitations: Pick<InvitationService, 'list' | 'create' | 'revoke'>
  sendInvitation: SendInvitation
  clock: Clock
  cursors: Cursors
  /** Limits the invitations of a workspace. Default: in memory. */
  invitationLimiter?: Limiter | undefined
}

/** The dashboard's endpoints of members and invitations. */
export function registerMemberRoutes(api: Pick<Api, 'add'>, deps: MemberRoutesDeps): void {
  endpoint(api, {
    method: 'get',
    path: MEMBERS,
    scope: 'links:read',
    operationId: 'listMembers',
    tag: TAG,
    summary: 'List members',
    query: z.object(pageParameters),
    success: { status: 200, description: 'In the order of joining.', schema: MemberListSchema },
    errors: ['BAD_REQUEST'],
    async handler(call) {
      const { no } = call.caller.workspace
      const members = await deps.members.list(no)
      const keyOf = ({ joined_at, user_id }: Member) => [joined_at, user_id]
      const page = pageOfAll(deps.cursors, ['members', no], members, call.query, keyOf)
      return pageAnswer(call, page)
    },
  })

  endpoint(api, {
    method: 'patch',
    path: `${MEMBERS}/{user_id}`,
    scope: 'members:manage',
    fresh: true,
    operationId: 'updateMember',
    tag: TAG,
    summary: 'Update a member’s role',
    params: ByUser,
    body: RoleSchema,
    current: async ({ caller, params }) =>
      (await deps.members.list(caller.workspace.no)).find((one) => one.user_id === params.user_id),
    success: { status: 200, description: 'The member.', schema: MemberSchema },
    errors: ['MEMBER_NOT_FOUND', 'ROLE_ABOVE_OWN', 'LAST_OWNER'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { role, keys } = call.body
        const { user_id } = call.params
        const body = await deps.members.setRole(tx, memberPrincipalOf(call), user_id, role, keys)
        return { status: 200, body }
      }),
  })

  endpoint(api, {
    method: 'delete',
    path: `${MEMBERS}/{user_id}`,
    // Everyone may leave; the service checks who may remove others.
    scope: 'links:read',
    operationId: 'removeMember',
    tag: TAG,
    summary: 'Remove a member, or leave',
    params: ByUser,
    query: RemoveQuery,
    success: { status: 204, description: 'They have no access any more.' },
    errors: ['MEMBER_NOT_FOUND', 'FORBIDDEN', 'ROLE_ABOVE_OWN', 'LAST_OWNER'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { params, query } = call
        await deps.members.remove(tx, memberPrincipalOf(call), params.user_id, query.keys)
      }),
  })

  registerInvitationRoutes(api, deps)
}

function registerInvitationRoutes(api: Pick<Api, 'add'>, deps: MemberRoutesDeps): void {
  const sent = deps.invitationLimiter ?? createMemoryLimiter()

  endpoint(api, {
    method: 'get',
    path: INVITATIONS,
    scope: 'members:manage',
    operationId: 'listInvitations',
    tag: TAG,
    summary: 'List pending invitations',
    query: z.object(pageParameters),
    success: { status: 200, description: 'The newest first.', schema: InvitationListSchema },
    errors: ['BAD_REQUEST'],
    async handler(call) {
      const { no } = call.caller.workspace
      const open = await deps.invitations.list(no)
      const binding = ['invitations', no]
      const page = pageOfAll(deps.cursors, binding, open, call.query, ({ id }) => [id], true)
      return pageAnswer(call, page)
    },
  })

  endpoint(api, {
    method: 'post',
    path: INVITATIONS,
    scope: 'members:manage',
    secret: true,
    operationId: 'invite',
    tag: TAG,
    summary: 'Invite a member by email',
    body: InviteSchema,
    success: { status: 201, description: 'The invitation.', schema: InvitationSchema },
    errors: ['ALREADY_MEMBER', 'ROLE_ABOVE_OWN', 'PLAN_LIMIT_REACHED'],
    async handler(call) {
      const { body, baseUrl, locale } = call
      const caller = memberPrincipalOf(call)
      assertAllowed(await sent.take(String(caller.workspace.no), INVITES, deps.clock.now()))
      let made: Awaited<ReturnType<InvitationService['create']>> | undefined
      const answer = await call.mutate(async (tx) => {
        made = await deps.invitations.create(tx, caller, body)
        return { status: 201, body: made.invitation, headers: { 'Cache-Control': 'no-store' } }
      })
      if (made === undefined) return answer
      const { token, expiresAt, invitation, inviter, workspaceName: name } = made
      const { email, role } = invitation
      const url = `${baseUrl}/app/invitation`
      const workspace = { name }
      const mail = { email, role, inviter, workspace, token, url, expiresAt, locale }
      if (deps.sendInvitation(mail)) return answer
      return { ...answer, body: { ...invitation, url: `${url}#token=${token}` } }
    },
  })

  endpoint(api, {
    method: 'delete',
    path: `${INVITATIONS}/{id}`,
    scope: 'members:manage',
    operationId: 'revokeInvitation',
    tag: TAG,
    summary: 'Revoke an invitation',
    params: Invitation,
    success: { status: 204, description: 'It can’t be accepted any more.' },
    errors: ['INVITATION_NOT_FOUND', 'ROLE_ABOVE_OWN'],
    handler: (call) =>
      call.mutate((tx) => deps.invitations.revoke(tx, memberPrincipalOf(call), call.params.id)),
  })
}
