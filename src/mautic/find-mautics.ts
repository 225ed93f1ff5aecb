import type { Caller } from '../kit/caller.ts'
import { type MaybePromise, mapMaybe } from '../kit/maybe-promise.ts'
import type { SmtpMode } from '../kit/smtp-mode.ts'
import { createLookUp, type Storage } from '../storage/index.ts'
import { readHostName } from './mautic-values.ts'
import type { MauticRow, MauticTables } from './table.ts'

/** A connected Mautic, without its secrets. */
export interface Mautic {
  id: number
  name: string
  /** Without a slash at the end. */
  url: string
  hosts: readonly string[]
  /** The transport of everything that comes from it, unless something else decides. */
  transportId: number | null
  smtpMode: SmtpMode | null
  /** Ids of our roles, by the name of a role of this Mautic. */
  roleMap: ReadonlyMap<string, number>
  isReporting: boolean
  isTagging: boolean
  isPublished: boolean
}

/** A caller that logged in with a login and a secret of 256 random bits. */
export interface SecretLogin {
  caller: Caller
  /** SHA-256 of the secret, in hex. */
  secretHash: string
}

/** Finds Mautics, each with one query that is compiled once. */
export interface FindMautics {
  /** Also finds an unpublished one. */
  findById(id: number): MaybePromise<Mautic | undefined>
  /** Returns undefined for an unknown or unpublished one. */
  findByName(name: string): MaybePromise<Mautic | undefined>
  /** Finds the published Mautic that is served under a host name; letter case does not matter. */
  findByHost(host: string): MaybePromise<Mautic | undefined>
  listPublished(): Promise<Mautic[]>
  /** Finds the caller of an SMTP log-in. Returns undefined where the Mautic is unpublished. */
  findLogin(login: string): MaybePromise<SecretLogin | undefined>
}

/** Opens the look-ups. */
export function openFindMautics(storage: Storage): FindMautics {
  const select = () => storage.tables<MauticTables>().selectFrom('mautics').selectAll()
  const byId = createLookUp<MauticRow>(storage, () => select().where('id', '=', 0).compile())
  const byName = createLookUp<MauticRow>(storage, () => select().where('name', '=', '').compile())
  const byHost = createLookUp<MauticRow>(storage, () =>
    select().where('hosts', 'like', '').compile(),
  )
  const byLogin = createLookUp<MauticRow>(storage, () =>
    select().where('smtp_login', '=', '').compile(),
  )
  return {
    findById: (id) => mapMaybe(byId(id), (row) => row && toMautic(row)),
    findByName: (name) => (nameForm.test(name) ? mapMaybe(byName(name), toPublished) : undefined),
    findByHost(host) {
      const name = readHostName(host)
      // A host name has no wildcard of LIKE and nothing that JSON escapes.
      return name === undefined ? undefined : mapMaybe(byHost(`%"${name}"%`), toPublished)
    },
    async listPublished() {
      const rows = await select().where('is_published', '=', true).orderBy('id').execute()
      return rows.map(toMautic)
    },
    findLogin: (login) =>
      mapMaybe(byLogin(login), (row) =>
        row === undefined || !row.is_published ? undefined : toLogin(row),
      ),
  }
}

const nameForm = /^[a-z0-9-]{1,63}$/

function toPublished(row: MauticRow | undefined): Mautic | undefined {
  return row === undefined || !row.is_published ? undefined : toMautic(row)
}

/** Returns the Mautic of a row. */
export function toMautic(row: MauticRow): Mautic {
  const { id, name, url } = row
  return {
    ...{ id, name, url },
    hosts: JSON.parse(row.hosts) as string[],
    transportId: row.transport_id,
    smtpMode: row.smtp_mode,
    roleMap: new Map(Object.entries(JSON.parse(row.role_map) as Record<string, number>)),
    isReporting: Boolean(row.is_reporting),
    isTagging: Boolean(row.is_tagging),
    isPublished: Boolean(row.is_published),
  }
}

/** What a Mautic may do with its SMTP log-in. */
const permissions: ReadonlySet<string> = new Set([
  'email:send',
  'contact:view',
  'twigtemplates:view',
])

function toLogin(row: MauticRow): SecretLogin {
  const { id, name } = row
  const caller = {
    userId: undefined,
    name: `Mautic "${name}"`,
    email: undefined,
    isAdmin: false,
    smtpMode: row.smtp_mode ?? undefined,
    mautic: { id, name },
    can: (permission: string) => permissions.has(permission),
  }
  return { caller, secretHash: row.smtp_password_hash }
}
