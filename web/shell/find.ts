import { ApiFault, ask } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { contactName } from '../records/find.ts'
import { describeDsn, loadProviders } from '../records/providers.tsx'
import { senderHref } from '../records/sender-href.ts'
import { words } from '../words/common.ts'
import { formatTime } from '../words/format.ts'
import { visiblePlaces } from './places.ts'

/** One result of the global search. */
export interface Found {
  href: string
  name: string
  /** What tells it from others of its name. */
  detail?: string
}

/** The results of one area. */
export interface FoundGroup {
  title: string
  found: readonly Found[]
}

/** An area that can be searched. */
interface Area {
  title: string
  needs: readonly string[]
  search: (text: string, signal: AbortSignal) => Promise<Found[]>
}

const limit = 5

const areas: readonly Area[] = [
  {
    title: words.places.transports,
    needs: ['multipleTransports:view'],
    async search(search, signal) {
      const [{ body }, { providers }] = await Promise.all([
        ask('GET', '/api/multipleTransports', background(search, signal)),
        loadProviders(),
      ])
      return body.map(({ id, name, mailerDsn }) => {
        const { title, server } = describeDsn(mailerDsn, providers)
        return {
          href: `/transports/${id}`,
          name,
          detail: [title, server].filter(Boolean).join(', '),
        }
      })
    },
  },
  {
    title: words.places.templates,
    needs: ['twigtemplates:view'],
    async search(search, signal) {
      const { body } = await ask('GET', '/api/twigTemplates', background(search, signal))
      return body.twigTemplates.map(({ id, name }) => ({ href: `/templates/${id}`, name }))
    },
  },
  {
    title: words.places.emails,
    needs: ['email:view'],
    async search(search, signal) {
      const { body } = await ask('GET', '/api/emails', background(search, signal))
      return Object.values(body.emails).map(({ id, name, subject }) => ({
        href: `/emails/${id}`,
        name,
        detail: subject ?? '',
      }))
    },
  },
  {
    title: words.places.contacts,
    needs: ['contact:view'],
    async search(search, signal) {
      const { body } = await ask('GET', '/api/contacts', background(search, signal))
      return Object.values(body.contacts).map(({ id, fields }) => {
        const { email } = fields.all
        const address = typeof email === 'string' ? email : words.none
        return {
          href: `/contacts/${id}`,
          name: contactName(fields.all) || address,
          detail: address,
        }
      })
    },
  },
  {
    title: words.places.senders,
    needs: ['multipleTransports:view'],
    async search(search, signal) {
      const { senders } = (await ask('GET', '/api/senders', background(search, signal))).body
      return senders.map(({ domain }) => ({ href: senderHref(domain), name: domain }))
    },
  },
  {
    title: words.places.deliveries,
    needs: ['email:view', 'contact:view'],
    async search(text, signal) {
      // Whole addresses only: they have an index, and parts of them do not.
      if (!/^\S+@\S+$/.test(text)) return []
      const query = { recipient: text, limit }
      const options = { query, signal, isBackground: true }
      const { deliveries } = (await ask('GET', '/api/deliveries', options)).body
      return deliveries.map(({ id, recipient, outcome, date }) => ({
        href: `/deliveries/${id}`,
        name: recipient,
        detail: `${words.outcomes[outcome]}, ${formatTime(date)}`,
      }))
    },
  },
]

function background(search: string, signal: AbortSignal) {
  return { query: { search, limit }, signal, isBackground: true }
}

/** Searches all areas that the user may view. An area that cannot search for the text has no results. */
export async function find(text: string, signal: AbortSignal): Promise<FoundGroup[]> {
  const allowed = areas.filter(({ needs }) => needs.every(can))
  const groups = await Promise.all(
    allowed.map(async ({ title, search }) => {
      try {
        return { title, found: await search(text, signal) }
      } catch (error) {
        if (error instanceof ApiFault && error.status === 400) return { title, found: [] }
        throw error
      }
    }),
  )
  return [findPlaces(text), ...groups].filter(({ found }) => found.length > 0)
}

/** The screens whose name has the text in it; all of them without a text. */
export function findPlaces(text: string): FoundGroup {
  const wanted = text.toLocaleLowerCase()
  const found = visiblePlaces()
    .map(({ path, name }) => ({ href: path, name: words.places[name] }))
    .filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
  return { title: words.find.screens, found: wanted === '' ? found : found.slice(0, limit) }
}
