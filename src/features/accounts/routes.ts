import { z } from '@hono/zod-openapi'
import { type Api, endpoint, personOf } from '../../http/index.ts'
import { pageAnswer, pageParameters } from '../../http/page.ts'
import { type AuditEntry, INSTANCE } from '../audit/index.ts'
import type { AuditService } from '../audit/service.ts'
import type { Accounts } from './accounts.ts'
import type { Joined } from './context.ts'
import { registerPictureRoutes } from './picture-routes.ts'
import {
  AccountSchema,
  acceptBody,
  accountBody,
  claimBody,
  confirmBody,
  EventListSchema,
  email,
  InvitationPreviewSchema,
  JoinedSchema,
  OwnWorkspace,
  removeBody,
  SessionSchema,
  tokenBody,
  workspaceName,
} from './schemas.ts'

const ANYONE = { scope: null, tag: 'Accounts' } as const
const OWN = { ...ANYONE, person: true } as const

/** The dashboard's account endpoints that better-auth doesn't have. */
export function registerAccountRoutes(
  api: Pick<Api, 'add'>,
  deps: { accounts: Pick<Accounts, 'service'>; audit: AuditService },
): void {
  const service = () => deps.accounts.service
  registerSessionRoutes(api, service)
  registerOwnAccountRoutes(api, service)
  registerPictureRoutes(api, service)
  registerJoiningRoutes(api, service)
  registerEventRoute(api, deps.audit)
}

type Service = () => Accounts['service']

/** The session. */
function registerSessionRoutes(api: Pick<Api, 'add'>, service: Service): void {
  endpoint(api, {
    method: 'get',
    path: '/api/v1/session',
    ...ANYONE,
    operationId: 'getSession',
    summary: 'Get the session, its workspaces and the instance’s features',
    success: { status: 200, description: 'The session.', schema: SessionSchema },
    async handler(call) {
      const { body, cookies } = await service().session(call.person, call)
      return { status: 200, body, cookies }
    },
  })

  endpoint(api, {
    method: 'post',
    path: '/api/v1/session/confirm',
    ...OWN,
    secret: true,
    operationId: 'confirmSession',
    summary: 'Confirm your identity by password',
    description: 'For 15 minutes, requests no longer get REAUTHENTICATION_REQUIRED.',
    body: confirmBody,
    success: { status: 204, description: 'Confirmed.' },
    errors: ['REAUTHENTICATION_REQUIRED'],
    handler: (call) => service().confirm(personOf(call), call.body.password),
  })
}

/** The person's own account. */
function registerOwnAccountRoutes(api: Pick<Api, 'add'>, service: Service): void {
  endpoint(api, {
    method: 'patch',
    path: '/api/v1/account',
    ...OWN,
    operationId: 'updateAccount',
    summary: 'Update your account',
    body: accountBody,
    success: { status: 200, description: 'The account.', schema: AccountSchema },
    async handler(call) {
      return { status: 200, body: { user: await service().update(personOf(call), call.body) } }
    },
  })

  endpoint(api, {
    method: 'get',
    path: '/api/v1/account/data.ndjson',
    ...OWN,
    operationId: 'exportAccountData',
    summary: 'Export what is stored about you',
    description:
      'Profile, sessions, memberships, keys, and what you did: one JSON object a line, with its ' +
      '`kind`. Of entries in audit logs it has action, time and object, not what changed.',
    success: {
      status: 200,
      description: 'The data.',
      contentType: 'application/x-ndjson',
      schema: z.string(),
      headers: { 'Content-Disposition': 'A name for the file.' },
    },
    handler: async (call) => ({
      status: 200,
      stream: async () => service().data(personOf(call).userId, call.request.signal),
      headers: {
        'Content-Type': 'application/x-ndjson',
        'Content-Disposition': 'attachment; filename="account.ndjson"',
        'Cache-Control': 'no-store',
      },
    }),
  })

  endpoint(api, {
    method: 'delete',
    path: '/api/v1/account',
    ...OWN,
    fresh: true,
    secret: true,
    operationId: 'deleteAccount',
    summary: 'Delete your account',
    body: removeBody,
    success: { status: 204, description: 'The account and its sessions are deleted.' },
    errors: ['SOLE_OWNER', 'INSTANCE_OWNER', 'REAUTHENTICATION_REQUIRED'],
    handler: (call) => service().remove(personOf(call), call.body.confirm_email, call),
  })

  endpoint(api, {
    method: 'post',
    path: '/api/v1/account/email',
    ...OWN,
    fresh: true,
    secret: true,
    operationId: 'requestEmailChange',
    summary: 'Request a change of email address',
    description: 'Sends a link to the new address, and a notice to the old one.',
    body: z.strictObject({ new_email: email }),
    success: {
      status: 204,
      description: 'The link was sent, unless the address already has an account.',
    },
    errors: ['MAIL_NOT_SET_UP', 'REAUTHENTICATION_REQUIRED'],
    handler: (call) => service().requestEmailChange(personOf(call), call.body.new_email, call),
  })

  endpoint(api, {
    method: 'post',
    path: '/api/v1/account/email/confirm',
    ...ANYONE,
    secret: true,
    operationId: 'confirmEmailChange',
    summary: 'Confirm a change of email address',
    body: tokenBody,
    success: { status: 204, description: 'The account has the new address.' },
    errors: ['INVALID_TOKEN'],
    handler: (call) => service().confirmEmailChange(call.body.token, call),
  })
}

function registerEventRoute(api: Pick<Api, 'add'>, audit: AuditService): void {
  endpoint(api, {
    method: 'get',
    path: '/api/v1/account/events',
    ...OWN,
    operationId: 'listAccountEvents',
    summary: 'List account activity',
    query: z.object(pageParameters),
    success: { status: 200, description: 'One page of events.', schema: EventListSchema },
    errors: ['BAD_REQUEST'],
    async handler(call) {
      const about = { workspaceNo: INSTANCE, target: personOf(call).userId }
      const page = await audit.list(about, call.query)
      return pageAnswer(call, { ...page, data: page.data.map(accountEventOf) })
    },
  })
}

function accountEventOf({ id, created_at, action, actor }: AuditEntry) {
  const person = actor.id === null ? 'unknown' : 'self'
  const by = actor.type === 'command' ? 'operator' : person
  return { id, created_at, action, by } as const
}

/** The first account, more workspaces, and invitations to others'. */
function registerJoiningRoutes(api: Pick<Api, 'add'>, service: Service): void {
  endpoint(api, {
    method: 'post',
    path: '/api/v1/claim',
    ...ANYONE,
    secret: true,
    operationId: 'claimInstance',
    summary: 'Create the owner account with the setup token',
    body: claimBody,
    success: { status: 201, description: 'The instance owner, signed in.', schema: JoinedSchema },
    errors: ['NOT_FOUND'],
    handler: async (call) => joined(await service().claim(call.body, call)),
  })

  endpoint(api, {
    method: 'post',
    path: '/api/v1/workspaces',
    ...OWN,
    operationId: 'createWorkspace',
    summary: 'Create a workspace',
    body: z.strictObject({ name: workspaceName }),
    success: { status: 201, description: 'The workspace.', schema: OwnWorkspace },
    errors: ['FORBIDDEN'],
    async handler(call) {
      const body = await service().createWorkspace(personOf(call), call.body.name, call)
      return { status: 201, body }
    },
  })

  endpoint(api, {
    // Not a GET: the token would be in the URL, and in proxies' logs.
    method: 'post',
    path: '/api/v1/invitations/lookup',
    ...ANYONE,
    secret: true,
    operationId: 'lookUpInvitation',
    summary: 'Look up an invitation',
    body: tokenBody,
    success: { status: 200, description: 'The invitation.', schema: InvitationPreviewSchema },
    errors: ['INVITATION_NOT_FOUND'],
    async handler(call) {
      return { status: 200, body: await service().invitation(call.body.token, call) }
    },
  })

  endpoint(api, {
    method: 'post',
    path: '/api/v1/invitations/accept',
    ...ANYONE,
    secret: true,
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation',
    body: acceptBody,
    success: { status: 201, description: 'Joined, and signed in.', schema: JoinedSchema },
    errors: [
      'INVITATION_NOT_FOUND',
      'ACCOUNT_EXISTS',
      'SIGN_UP_CLOSED',
      'PLAN_LIMIT_REACHED',
      'SIGN_IN_REQUIRED',
      'CONFLICT',
    ],
    handler: async (call) => joined(await service().accept(call.person, call.body, call)),
  })
}

function joined({ user, workspace, cookies }: Joined) {
  return { status: 201, body: { user, workspace }, cookies }
}
