import {
  ChartNoAxesColumn,
  Gauge,
  Globe,
  KeyRound,
  Link2,
  ListChecks,
  type LucideIcon,
  ScrollText,
  Server,
  Settings,
  Tags,
  Users,
  Webhook,
} from 'lucide-react'
import type { MessageKey } from '../i18n/index.tsx'
import type { Place } from './workspace.tsx'

/** A page of the sidebar. */
export interface Destination {
  to:
    | '/links'
    | '/statistics'
    | '/tags'
    | '/domains'
    | '/keys'
    | '/webhooks'
    | '/members'
    | '/audit'
    | '/jobs'
    | '/usage'
    | '/settings'
    | '/instance'
  label: MessageKey
  Icon: LucideIcon
  /** Daily work, or administration. */
  group: 'work' | 'workspace'
}

/** The pages that a person may see, in order. */
export function destinationsOf(place: Place): Destination[] {
  const all: (Destination | false)[] = [
    { to: '/links', label: 'shell.links', Icon: Link2, group: 'work' },
    { to: '/statistics', label: 'shell.statistics', Icon: ChartNoAxesColumn, group: 'work' },
    { to: '/tags', label: 'shell.tags', Icon: Tags, group: 'work' },
    { to: '/domains', label: 'usage.domains', Icon: Globe, group: 'workspace' },
    place.may('keys:write') && {
      to: '/keys',
      label: 'shell.keys',
      Icon: KeyRound,
      group: 'workspace',
    },
    place.may('webhooks:read') && {
      to: '/webhooks',
      label: 'webhooks.title',
      Icon: Webhook,
      group: 'workspace',
    },
    { to: '/members', label: 'shell.members', Icon: Users, group: 'workspace' },
    place.may('audit:read') && {
      to: '/audit',
      label: 'shell.audit',
      Icon: ScrollText,
      group: 'workspace',
    },
    { to: '/jobs', label: 'jobs.title', Icon: ListChecks, group: 'workspace' },
    { to: '/usage', label: 'shell.usage', Icon: Gauge, group: 'workspace' },
    { to: '/settings', label: 'shell.settings', Icon: Settings, group: 'workspace' },
    place.user.instance_owner && {
      to: '/instance',
      label: 'shell.instance',
      Icon: Server,
      group: 'workspace',
    },
  ]
  return all.filter((one) => one !== false)
}
