import type { IconName } from '../design/icon.tsx'
import { can } from '../lib/session.ts'
import { words } from '../words/common.ts'

type Name = keyof typeof words.places & IconName

export interface Place {
  path: string
  name: Name
  /** The reader needs one of these permissions; none for everyone. */
  needs: readonly string[]
}

const transportsView = ['multipleTransports:view']
const emailView = ['email:view']
const contactView = ['contact:view']

/** The screens in the menu, by group. */
const groups: Readonly<Record<'' | keyof typeof words.groups, readonly Place[]>> = {
  '': [{ path: '/', name: 'overview', needs: [] }],
  send: [
    { path: '/transports', name: 'transports', needs: transportsView },
    { path: '/limits', name: 'limits', needs: transportsView },
    { path: '/assignments', name: 'assignments', needs: transportsView },
    { path: '/routing', name: 'routing', needs: transportsView },
    { path: '/senders', name: 'senders', needs: transportsView },
  ],
  content: [
    { path: '/templates', name: 'templates', needs: ['twigtemplates:view'] },
    { path: '/emails', name: 'emails', needs: emailView },
  ],
  people: [
    { path: '/contacts', name: 'contacts', needs: contactView },
    { path: '/suppressions', name: 'suppressions', needs: contactView },
  ],
  watch: [
    { path: '/deliveries', name: 'deliveries', needs: emailView },
    { path: '/queue', name: 'queue', needs: ['queue:view'] },
    { path: '/inbox', name: 'inbox', needs: emailView },
    { path: '/health', name: 'health', needs: ['*'] },
  ],
  setUp: [
    { path: '/brands', name: 'brands', needs: ['brand:view'] },
    { path: '/mautics', name: 'mautics', needs: ['api:view'] },
    { path: '/webhooks', name: 'webhooks', needs: ['api:view'] },
    { path: '/access', name: 'access', needs: [] },
  ],
}

type GroupName = keyof typeof groups

const isVisible = ({ needs }: Place) => needs.length === 0 || needs.some(can)

/** The groups of the menu with the screens that the user may view; no group without one. */
export function visibleGroups(): { name: GroupName; places: readonly Place[] }[] {
  return (Object.keys(groups) as GroupName[])
    .map((name) => ({ name, places: groups[name].filter(isVisible) }))
    .filter(({ places }) => places.length > 0)
}

/** The screens that the user may view, for the search. */
export const visibleScreens = () =>
  visibleGroups()
    .flatMap(({ places }) => places)
    .map(({ path: href, name }) => ({ href, name: words.places[name] }))
