import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { LOCALES } from '../../lib/i18n/index.ts'
import {
  BY_DEFAULT,
  noneReserved,
  SLUG_FIELDS_SHOWN,
  slugFields,
} from '../../model/links/slug-settings.ts'
import { WORKSPACE_NAME_MAX } from './name.ts'

const fields = {
  id: z.string(),
  name: z.string(),
  plan: z.string().openapi({ description: "The plan's id." }),
  language: z
    .string()
    .nullable()
    .openapi({ description: 'The language of messages, unless a request asks for another one.' }),
  require_two_factor: z
    .boolean()
    .openapi({ description: 'Whether members with a password need a second factor.' }),
  created_at: z.string().openapi({ format: 'date-time' }),
}

export const WorkspaceSchema = z.object({ ...fields, ...SLUG_FIELDS_SHOWN }).openapi('Workspace')

export const WorkspaceChangeSchema = z
  .strictObject({
    name: z.string().optional().openapi({ minLength: 1, maxLength: WORKSPACE_NAME_MAX }),
    language: z.enum(LOCALES).nullable().optional(),
    require_two_factor: z.boolean().optional(),
    ...z
      .object(slugFields(`Of links on the hosts that all workspaces share. ${BY_DEFAULT}`))
      .partial().shape,
  })
  .check(noneReserved)
  .openapi('WorkspaceChange')

export const WorkspaceDeleteSchema = z
  .strictObject({
    confirm_name: z.string().openapi({ description: "The workspace's name, as it is shown." }),
  })
  .openapi('WorkspaceDelete')

export const PlanChangeSchema = z
  .strictObject({ plan: z.string().openapi({ description: "The plan's id." }) })
  .openapi('PlanChange')

export const InstanceWorkspaceSchema = z
  .object({ ...fields, links: z.int(), addresses: z.int(), api_keys: z.int(), members: z.int() })
  .openapi('InstanceWorkspace')

export const InstanceWorkspaceListSchema =
  listOf(InstanceWorkspaceSchema).openapi('InstanceWorkspaceList')
