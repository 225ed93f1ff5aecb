import { type CallerMautic, mayUse, type OfBrand } from '../../kit/caller.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import type { AuthTables } from '../../platform/auth/index.ts'
import { createLookUp, type Storage } from '../../platform/storage/index.ts'
import type { ContactTables } from '../contacts/index.ts'
import type { EmailTables } from '../emails/index.ts'
import type { MauticDirectory, MauticTables } from '../mautic/index.ts'
import { inTime } from '../mautic/index.ts'
import {
  type FindByName,
  openNameLookup,
  type TransportRow,
  type TransportTables,
} from '../transports/index.ts'
import type { RouteOwner } from './choose-route.ts'

/** What a route is chosen by, in one namespace: Mailyard's own emails, contacts and users, or those of a Mautic. */
export interface RouteLookups {
  transport: (id: number) => MaybePromise<TransportRow | undefined>
  /** The transports that a message may name: by id, else by name. */
  namedTransports: (text: string, brand: number | null) => Promise<TransportRow[]>
  email: (id: number) => MaybePromise<({ id: number } & Partial<OfBrand>) | undefined>
  contact: (
    id: number,
  ) => MaybePromise<({ owner_id: number | null } & Partial<OfBrand>) | undefined>
  user: (id: number) => MaybePromise<RouteOwner | undefined>
  userByEmail: (address: string) => MaybePromise<RouteOwner | undefined>
  /** What decides about all messages of the Mautic. */
  mautic: () => MaybePromise<MauticSettings>
}

/** What decides about all messages of a Mautic. */
export interface MauticSettings {
  /** Its default transport; null if it has none. */
  transportId: number | null
  /** Whether its ids mean other emails and users than those of its assignments, until an administrator accepts it. */
  isReinstalled: boolean
  /** Whether it is there no more, nor are its assignments. */
  isDeleted: boolean
}

/** Prepares the queries once: every message runs them. */
export function openRouteLookups(storage: Storage, mautics: MauticDirectory) {
  const db = storage.tables<TransportTables>()
  const findTransport = createLookUp(storage, ({ id }: { id: number }) =>
    db.selectFrom('transports').selectAll().where('id', '=', id),
  )
  const transport = (id: number) => findTransport({ id })
  const findByName = openNameLookup(storage)
  const findSettings = openMauticSettings(storage)
  const namedTransports = createFindNamed({ transport, findByName })
  const ownLookups = {
    ...openOwnLookups(storage),
    transport,
    namedTransports,
    mautic: () => ({ transportId: null, isReinstalled: false, isDeleted: false }),
  }
  return (mautic: CallerMautic | undefined): RouteLookups => {
    if (mautic === undefined) return ownLookups
    return {
      ...mauticLookups(mautics, mautic),
      transport,
      namedTransports,
      mautic: () => findSettings(mautic.id),
    }
  }
}

function openMauticSettings(storage: Storage): (id: number) => Promise<MauticSettings> {
  const db = storage.tables<MauticTables>()
  const find = createLookUp(storage, ({ id }: { id: number }) =>
    db
      .selectFrom('mautics')
      .leftJoin('mautic_states', 'mautic_states.mautic_id', 'mautics.id')
      .select(['transport_id', 'is_reinstalled'])
      .where('mautics.id', '=', id),
  )
  return async (id) => {
    const row = await find({ id })
    const { transport_id: transportId = null, is_reinstalled: isReinstalled = false } = row ?? {}
    return { transportId, isReinstalled: Boolean(isReinstalled), isDeleted: row === undefined }
  }
}

/** An id takes precedence over a name, so that it can select one of several transports with the same name. */
function createFindNamed({
  transport,
  findByName,
}: {
  transport: RouteLookups['transport']
  findByName: FindByName
}): RouteLookups['namedTransports'] {
  return async (text, brand) => {
    const isId = /^\s*\d{1,15}\s*$/.test(text)
    const row = isId ? await transport(Number(text)) : undefined
    if (row !== undefined && mayUse(row, brand)) return [row]
    return findByName(text, brand)
  }
}

function openOwnLookups(storage: Storage) {
  const db = storage.tables<EmailTables & ContactTables & AuthTables>()
  const email = createLookUp(storage, ({ id }: { id: number }) =>
    db.selectFrom('emails').select(['id', 'brand_id']).where('id', '=', id),
  )
  const contact = createLookUp(storage, ({ id }: { id: number }) =>
    db.selectFrom('contacts').select(['owner_id', 'brand_id']).where('id', '=', id),
  )
  const selectUser = () => db.selectFrom('users').select(['id', 'username', 'brands'])
  const user = createLookUp(storage, ({ id }: { id: number }) => selectUser().where('id', '=', id))
  const userByKey = createLookUp(storage, ({ key }: { key: string }) =>
    selectUser().where('email_key', '=', key),
  )
  return {
    email: (id: number) => email({ id }),
    contact: (id: number) => contact({ id }),
    user: (id: number) => user({ id }),
    userByEmail: (address: string) => userByKey({ key: emailKey(address) }),
  }
}

function mauticLookups(mautics: MauticDirectory, { id: mauticId }: CallerMautic) {
  return {
    // An email that cannot be looked up now counts as one without a transport.
    email: (id: number) => inTime(mautics.emails.find(mauticId, id), { id }),
    async contact(id: number) {
      const contact = await inTime(mautics.contacts.find(mauticId, id), undefined)
      return contact === undefined ? undefined : { owner_id: contact.ownerId }
    },
    user: (id: number) =>
      inTime(mautics.users.find(mauticId, id), { id, username: 'not synchronized' }),
    userByEmail: (address: string) =>
      inTime(mautics.users.findByEmail(mauticId, address), undefined),
  }
}
