import { outcomes } from '../../src/core/delivery/outcomes.ts'
import { ApiFault, ask } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { contactName } from '../records/find.ts'
import { describeDsn, loadProviders } from '../records/providers.tsx'
import { senderHref } from '../records/sender-domain.ts'
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

interface SearchOptions {
  query: { search: string; limit: number }
  signal: AbortSignal
  isBackground: true
}

/** An area that can be searched. */
interface Area {
  title: string
  needs: readonly string[]
  search: (options: SearchOptions) => Promise<Found[]>
}

const limit = 5
/** How many are read to find those with several words. */
const candidatesMax = 200

const areas: readonly Area[] = [
  {
    title: words.places.transports,
    needs: ['multipleTransports:view'],
    async search(options) {
      const [{ body }, { providers }] = await Promise.all([
        ask('GET', '/api/multipleTransports', options),
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
    async search(options) {
      const { body } = await ask('GET', '/api/twigTemplates', options)
      return body.twigTemplates.map(({ id, name }) => ({ href: `/templates/${id}`, name }))
    },
  },
  {
    title: words.places.emails,
    needs: ['email:view'],
    async search(options) {
      const { body } = await ask('GET', '/api/emails', options)
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
    async search(options) {
      const { body } = await ask('GET', '/api/contacts', options)
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
    async search(options) {
      const { senders } = (await ask('GET', '/api/senders', options)).body
      return senders.map(({ domain }) => ({ href: senderHref(domain), name: domain }))
    },
  },
  {
    title: words.places.brands,
    needs: ['brand:view'],
    async search(options) {
      const { brands } = (await ask('GET', '/api/brands', options)).body
      return brands.map(({ id, name, domains }) => ({
        href: `/brands/${id}`,
        name,
        detail: domains.slice(0, limit).join(', '),
      }))
    },
  },
  {
    title: words.places.deliveries,
    needs: ['email:view', 'contact:view'],
    async search({ query: { search: recipient, limit }, ...options }) {
      // Whole addresses only: they have an index, and parts of them do not.
      if (!/^\S+@\S+$/.test(recipient)) return []
      const query = { recipient, limit }
      const { deliveries } = (await ask('GET', '/api/deliveries', { ...options, query })).body
      return deliveries.map(({ id, recipient, outcome, date }) => ({
        href: `/deliveries/${id}`,
        name: recipient,
        detail: `${outcomes[outcome].label}, ${formatTime(date)}`,
      }))
    },
  },
]

/** Whether a text has each of the words in it. */
const hasWords = (text: string, words: readonly string[]) =>
  words.every((word) => text.toLocaleLowerCase().includes(word))

const wordsOf = (text: string) => text.toLocaleLowerCase().split(/\s+/)

/** Searches all areas that the user may view, for all words. An area that cannot search for the text has no results. */
export async function find(text: string, signal: AbortSignal): Promise<FoundGroup[]> {
  const allowed = areas.filter(({ needs }) => needs.every(can))
  const parts = wordsOf(text)
  // The API takes several words for a phrase.
  const longest = parts.toSorted((one, other) => other.length - one.length)[0] ?? text
  const isOne = parts.length === 1
  const query = isOne ? { search: text, limit } : { search: longest, limit: candidatesMax }
  const groups = await Promise.all(
    allowed.map(async ({ title, search }) => {
      try {
        const found = await search({ query, signal, isBackground: true })
        if (isOne) return { title, found }
        const matching = found.filter(({ name, detail }) => hasWords(`${name} ${detail}`, parts))
        return { title, found: matching.slice(0, limit) }
      } catch (error) {
        if (error instanceof ApiFault && error.status === 400) return { title, found: [] }
        throw error
      }
    }),
  )
  return [...findPlaces(text), ...groups].filter(({ found }) => found.length > 0)
}

/** The screens and actions with the words of the text in their name; all screens without a text. */
export function findPlaces(text: string): FoundGroup[] {
  const places = visiblePlaces()
  const screens = places.map(({ path, name }) => ({ href: path, name: words.places[name] }))
  if (text === '') return [{ title: words.find.screens, found: screens }]
  const parts = wordsOf(text)
  const actions = places.flatMap(({ path, name, needs }) => {
    const { [name as keyof typeof words.find.add]: label } = words.find.add
    // Administrators of a connected Mautic may do everything.
    const need = name === 'mautics' ? '*' : String(needs[0]).replace(':view', ':create')
    return label !== undefined && can(need) ? [{ href: `${path}/new`, name: label }] : []
  })
  return [
    {
      title: words.find.screens,
      found: screens.filter(({ name }) => hasWords(name, parts)).slice(0, limit),
    },
    {
      title: words.find.actions,
      found: actions.filter(({ name }) => hasWords(`${words.find.adding} ${name}`, parts)),
    },
  ]
}
