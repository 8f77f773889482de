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
  /** Opens it, after `g`. */
  letter: string
  /** Daily work, or administration. */
  group: 'work' | 'workspace'
}

/** The pages that a person may see, in order. */
export function destinationsOf(place: Place): Destination[] {
  const all: (Destination | false)[] = [
    { to: '/links', label: 'shell.links', Icon: Link2, letter: 'l', group: 'work' },
    {
      to: '/statistics',
      label: 'shell.statistics',
      Icon: ChartNoAxesColumn,
      letter: 's',
      group: 'work',
    },
    { to: '/tags', label: 'shell.tags', Icon: Tags, letter: 't', group: 'work' },
    { to: '/domains', label: 'usage.domains', Icon: Globe, letter: 'd', group: 'workspace' },
    place.may('keys:write') && {
      to: '/keys',
      label: 'shell.keys',
      Icon: KeyRound,
      letter: 'k',
      group: 'workspace',
    },
    place.may('webhooks:read') && {
      to: '/webhooks',
      label: 'webhooks.title',
      Icon: Webhook,
      letter: 'w',
      group: 'workspace',
    },
    { to: '/members', label: 'shell.members', Icon: Users, letter: 'm', group: 'workspace' },
    place.may('audit:read') && {
      to: '/audit',
      label: 'shell.audit',
      Icon: ScrollText,
      letter: 'a',
      group: 'workspace',
    },
    { to: '/jobs', label: 'jobs.title', Icon: ListChecks, letter: 'j', group: 'workspace' },
    { to: '/usage', label: 'shell.usage', Icon: Gauge, letter: 'u', group: 'workspace' },
    { to: '/settings', label: 'shell.settings', Icon: Settings, letter: 'e', group: 'workspace' },
    place.user.instance_owner && {
      to: '/instance',
      label: 'shell.instance',
      Icon: Server,
      letter: 'o',
      group: 'workspace',
    },
  ]
  return all.filter((one) => one !== false)
}
