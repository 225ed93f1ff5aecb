import { outcomes } from '../../src/core/delivery/outcomes.ts'
import { ApiFault, ask, withQuery } from '../lib/api.ts'
import { findMatches, hasWords, wordsOf } from '../lib/find-matches.ts'
import { can } from '../lib/session.ts'
import { contactName } from '../records/find.ts'
import { type Found, findHelp } from '../records/help.ts'
import { describeDsn, loadProviders } from '../records/providers.tsx'
import { senderHref } from '../records/sender-domain.ts'
import { words } from '../words/common.ts'
import { formatTime } from '../words/format.ts'
import { suppressionWords } from '../words/suppressions.ts'
import { actions, deeds, type Entry, fillers, settings } from './actions.ts'
import { visibleScreens } from './places.ts'

export interface FoundGroup {
  title: string
  found: readonly Entry[]
}

interface SearchOptions {
  query: { search: string; limit: number }
  signal: AbortSignal
  isBackground: true
}

interface Area {
  title: string
  needs: readonly string[]
  search: (options: SearchOptions) => Promise<Found[]>
}

const limit = 5
/** How many records that begin alike are compared, where none has the words. */
const similarMax = 100

/** `needs` are separated by spaces. */
const area = (place: keyof typeof words.places, needs: string, search: Area['search']): Area => ({
  title: words.places[place],
  needs: needs.split(' '),
  search,
})

const transports = area('transports', 'multipleTransports:view', async (options) => {
  const [{ body }, { providers }] = await Promise.all([
    ask('GET', '/api/multipleTransports', options),
    loadProviders(),
  ])
  return body.map(({ id, name, mailerDsn }) => {
    const { title, server } = describeDsn(mailerDsn, providers)
    return { href: `/transports/${id}`, name, detail: [title, server].filter(Boolean).join(', ') }
  })
})

const areas: readonly Area[] = [
  transports,
  area('templates', 'twigtemplates:view', async (options) => {
    const { body } = await ask('GET', '/api/twigTemplates', options)
    return body.twigTemplates.map(({ id, name }) => ({ href: `/templates/${id}`, name }))
  }),
  area('emails', 'email:view', async (options) => {
    const { body } = await ask('GET', '/api/emails', options)
    return Object.values(body.emails).map(({ id, name, subject }) => ({
      href: `/emails/${id}`,
      name,
      detail: subject ?? '',
    }))
  }),
  area('contacts', 'contact:view', async (options) => {
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
  }),
  area('senders', 'multipleTransports:view', async (options) => {
    const { senders } = (await ask('GET', '/api/senders', options)).body
    return senders.map(({ domain }) => ({ href: senderHref(domain), name: domain }))
  }),
  area('limits', 'multipleTransports:view', async (options) => {
    const { limits } = (await ask('GET', '/api/limits', options)).body
    return limits.map(({ id, name }) => ({ href: `/limits/${id}`, name }))
  }),
  area('mautics', 'api:view', async (options) => {
    const { mautics } = (await ask('GET', '/api/mautics', options)).body
    return mautics.map(({ id, name, url }) => ({ href: `/mautics/${id}`, name, detail: url }))
  }),
  area('suppressions', 'contact:view', async (options) => {
    const { suppressions } = (await ask('GET', '/api/suppressions', options)).body
    const isNamed = (address: string) => hasWords(address, wordsOf(options.query.search))
    return suppressions
      .filter(({ address }) => isNamed(address))
      .map(({ address, reason }) => ({
        href: withQuery('/suppressions', { search: address }),
        name: address,
        detail: suppressionWords.reasons[reason],
      }))
  }),
  area('brands', 'brand:view', async (options) => {
    const { brands } = (await ask('GET', '/api/brands', options)).body
    return brands.map(({ id, name, domains }) => ({
      href: `/brands/${id}`,
      name,
      detail: domains.slice(0, limit).join(', '),
    }))
  }),
  area(
    'deliveries',
    'email:view contact:view',
    async ({ query: { search: recipient, limit }, ...options }) => {
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
  ),
]

/** Searches all that the user may view, for all words in any order: screens, actions, settings, records and the help. */
export async function find(text: string, signal: AbortSignal): Promise<FoundGroup[]> {
  const options = { query: { search: text, limit }, signal, isBackground: true } as const
  const [deeds, help, records] = await Promise.all([
    findDeeds(text, options),
    // A page that was loaded before an update may not find it.
    findHelp(text).catch(() => []),
    searchAreas((area) => search(area, options)),
  ])
  const entries = findEntries(text).map(({ title, found }) => ({
    title,
    found: title === words.find.actions ? [...deeds, ...found] : found,
  }))
  const groups = nonEmpty([...entries, ...records, { title: words.help, found: help }])
  return groups.length > 0 ? groups : nonEmpty(await searchAreas((area) => guess(area, options)))
}

function searchAreas(inArea: (area: Area) => Promise<Found[]>): Promise<FoundGroup[]> {
  return Promise.all(areas.map(async (area) => ({ ...area, found: await inArea(area) })))
}

const nonEmpty = (groups: readonly FoundGroup[]) =>
  groups
    .map(({ title, found }) => ({ title, found: found.slice(0, limit) }))
    .filter(({ found }) => found.length > 0)

/** Of the records that begin alike, those that have the words but for typing errors. */
async function guess(area: Area, options: SearchOptions): Promise<Found[]> {
  const { search: text } = options.query
  const query = { search: text.slice(0, 3), limit: similarMax }
  const found = await search(area, { ...options, query })
  return findMatches(found, ({ name, detail = '' }) => `${name} ${detail}`, wordsOf(text))
}

/** Those with the words in their name first. An area that the user may not view, or that cannot search for the text, has no results. */
async function search(area: Area, options: SearchOptions): Promise<Found[]> {
  try {
    if (!area.needs.every(can)) return []
    const found = await area.search(options)
    const isNamed = ({ name }: Found) => Number(hasWords(name, wordsOf(options.query.search)))
    return found.sort((one, other) => isNamed(other) - isNamed(one))
  } catch (error) {
    if (error instanceof ApiFault && error.status === 400) return []
    throw error
  }
}

/** The screens, actions and settings with all words; where none has them, those that have them but for typing errors. */
function findEntries(text: string): FoundGroup[] {
  const groups: [title: string, entries: readonly Entry[]][] = [
    [words.find.screens, visibleScreens()],
    [words.find.actions, actions],
    [words.find.settings, settings],
  ]
  const all = groups.flatMap(([, entries]) => entries).filter(({ needs = [] }) => needs.every(can))
  const textOf = ({ name, words = '' }: Entry) => `${name} ${words}`
  const found = new Set(findMatches(all, textOf, wordsOf(text)))
  return groups.map(([title, entries]) => ({
    title,
    found: entries.filter((entry) => found.has(entry)),
  }))
}

/** What can be done with the transports that the text names after a verb. */
async function findDeeds(text: string, options: SearchOptions): Promise<Found[]> {
  const typed = wordsOf(text)
  const deed = deeds.find(({ verbs }) => verbs.some((verb) => typed.includes(verb)))
  const name = typed.filter((word) => !deed?.verbs.includes(word) && !fillers.includes(word))
  if (deed === undefined || name.length === 0 || !deed.needs.split(' ').every(can)) return []
  const query = { ...options.query, search: name.join(' ') }
  const found = await search(transports, { ...options, query })
  return found.map(({ href, name }) => ({
    href: deed.hrefOf(href.replace(/.*\//, '')),
    name: deed.nameOf(name),
  }))
}
