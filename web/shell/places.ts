import { can } from '../lib/session.ts'

/** The screens in the navigation. The reader needs one of the permissions; none for everyone. */
const places = [
  { path: '/', name: 'overview', needs: [] },
  { path: '/transports', name: 'transports', needs: ['multipleTransports:view'] },
  { path: '/limits', name: 'limits', needs: ['multipleTransports:view'] },
  { path: '/assignments', name: 'assignments', needs: ['multipleTransports:view'] },
  { path: '/routing', name: 'routing', needs: ['multipleTransports:view'] },
  { path: '/templates', name: 'templates', needs: ['twigtemplates:view'] },
  { path: '/emails', name: 'emails', needs: ['email:view'] },
  { path: '/contacts', name: 'contacts', needs: ['contact:view'] },
  { path: '/suppressions', name: 'suppressions', needs: ['contact:view'] },
  { path: '/broadcasts', name: 'broadcasts', needs: ['email:view'] },
  { path: '/deliveries', name: 'deliveries', needs: ['email:view'] },
  { path: '/queue', name: 'queue', needs: ['queue:view'] },
  { path: '/inbox', name: 'inbox', needs: ['email:view'] },
  { path: '/mautics', name: 'mautics', needs: ['api:view'] },
  { path: '/access', name: 'access', needs: [] },
  { path: '/health', name: 'health', needs: ['*'] },
] as const

/** The screens that the user may view. */
export function visiblePlaces() {
  return places.filter(({ needs }) => needs.length === 0 || needs.some(can))
}
