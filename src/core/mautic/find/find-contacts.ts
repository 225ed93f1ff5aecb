import type { Clock } from '../../../kit/clock.ts'
import {
  asCount,
  asList,
  asObject,
  asText,
  listOf,
  type MauticClient,
  MauticError,
  notMautic,
  where,
} from '../../mautic-client/index.ts'
import type { MauticClients } from '../mautic-clients.ts'
import type { UserFinder } from './find-records.ts'
import { RemoteLookup } from './remote-lookup.ts'

export interface MauticContact {
  id: number
  email: string
  ownerId: number | null
  /** The variable `contact` of templates: all fields by alias, `owner_id`, `owner`, `tags` and `segments`. */
  data: Readonly<Record<string, unknown>>
}

const foundMs = 60_000
const missingMs = 30_000
/** A Mautic lists 570 contacts a second. */
const contactsPerRequest = 50

/** Finds the contacts of Mautics. They are remembered in memory, and never copied to the database. */
export class ContactFinder {
  readonly #users: UserFinder
  readonly #contacts: RemoteLookup<number, MauticContact>
  readonly #segments: RemoteLookup<number, object>

  constructor(parts: {
    clock: Clock
    clients: MauticClients
    users: UserFinder
  }) {
    const { clock, clients, users } = parts
    this.#users = users
    this.#contacts = new RemoteLookup({
      clock,
      foundMs,
      missingMs,
      keysMax: contactsPerRequest,
      requestsMax: 2,
      ask: async (mauticId, ids) => {
        const client = await clients.find(mauticId)
        const contacts = client === undefined ? [] : await askForContacts(client, ids)
        return new Map(contacts.map((json) => [readId(json), this.#read(mauticId, json)]))
      },
    })
    this.#segments = new RemoteLookup({
      clock,
      foundMs,
      missingMs,
      keysMax: 1,
      requestsMax: 4,
      async ask(mauticId, [id = 0]) {
        return new Map([[id, await readSegments(await clients.find(mauticId), id)]])
      },
    })
  }

  /**
   * Finds a contact. One that is remembered is used for a minute, and while that Mautic is unreachable for a day. Its segments are
   * another request, so they are read only where `hasSegments` asks for them.
   *
   * @throws AppError (`upstream`) where Mautic does not answer and nothing is remembered.
   */
  async find(
    mauticId: number,
    id: number,
    { hasSegments = false }: { hasSegments?: boolean } = {},
  ): Promise<MauticContact | undefined> {
    if (!Number.isSafeInteger(id) || id <= 0) return undefined
    const [contact, segments] = await Promise.all([
      this.#contacts.find(mauticId, id),
      hasSegments ? this.#segments.find(mauticId, id) : undefined,
    ])
    if (contact === undefined || segments === undefined) return contact
    return { ...contact, data: { ...contact.data, segments } }
  }

  async #read(mauticId: number, json: unknown): Promise<MauticContact | undefined> {
    const contact = asObject(json)
    const id = asCount(contact['id'])
    if (id === undefined) return undefined
    const { fields, owner, tags } = contact
    const all = asObject(asObject(fields)['all'])
    const ownerId = asCount(asObject(owner)['id']) ?? null
    const data = {
      ...all,
      id,
      points: Number(all['points'] ?? 0),
      owner_id: ownerId,
      owner: ownerId === null ? null : await this.#readOwner(mauticId, owner, ownerId),
      tags: readTags(tags),
      segments: {},
    }
    return { id, email: asText(all['email']), ownerId, data }
  }

  /** Contacts show their owner without an address. */
  async #readOwner(mauticId: number, owner: unknown, id: number) {
    const user = await this.#users.find(mauticId, id).catch(() => undefined)
    const { username, firstName, lastName } = asObject(owner)
    return {
      id,
      username: user?.username ?? asText(username),
      firstName: user?.first_name ?? asText(firstName),
      lastName: user?.last_name ?? asText(lastName),
      email: user?.email ?? null,
    }
  }
}

function readId(json: unknown): number {
  return asCount(asObject(json)['id']) ?? 0
}

/**
 * Asks for contacts. A list shows them as they are shown one by one.
 *
 * @throws {MauticError} also for others, and for parts of them: what is not there does not say that a contact has none.
 */
async function askForContacts(client: MauticClient, ids: readonly number[]): Promise<unknown[]> {
  const query = { limit: ids.length, ...where(['id', 'in', ids.join(',')]) }
  const contacts =
    ids.length === 1
      ? [(await client.find('contacts', ids[0] ?? 0)) ?? []].flat()
      : listOf(await client.get('/api/contacts', query), 'contacts')
  const isAnswer = (contact: unknown) => {
    const { fields, ...members } = asObject(contact)
    const isWhole = 'owner' in members && 'email' in asObject(asObject(fields)['all'])
    return isWhole && ids.includes(readId(contact))
  }
  if (!contacts.every(isAnswer))
    throw notMautic('The answer has other contacts than those asked for, or not all of them.')
  return contacts
}

/** The segments of a contact by id. A role that may not see them, or a Mautic without this endpoint, has none. */
async function readSegments(client: MauticClient | undefined, id: number): Promise<object> {
  const answer = await client?.get(`/api/contacts/${id}/segments`).catch((error: unknown) => {
    if (error instanceof MauticError && !error.isOutage) return undefined
    throw error
  })
  const lists = asList(asObject(answer)['lists']).map(asObject)
  const entries = lists.flatMap((list) => {
    const segmentId = asCount(list['id'])
    const [name, alias] = [asText(list['name']), asText(list['alias'])]
    return segmentId === undefined ? [] : [[String(segmentId), { id: segmentId, name, alias }]]
  })
  return Object.fromEntries(entries) as object
}

/** Tags by id. Mautic sends objects with the text in `tag`, or texts, which get their positions as ids. */
function readTags(tags: unknown): Record<string, string> {
  const entries = asList(tags).map((tag, index) => {
    const { id, tag: text } = asObject(tag)
    return [String(asCount(id) ?? index + 1), asText(tag) || asText(text)]
  })
  return Object.fromEntries(entries.filter(([, text]) => text !== '')) as Record<string, string>
}
