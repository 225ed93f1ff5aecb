import type { Caller } from '../../kit/caller.ts'
import type { SmtpMode } from '../../kit/smtp-mode.ts'
import type { MauticRow } from './table.ts'

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

export function toMautic(row: MauticRow): Mautic {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
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

/** Returns the SMTP log-in of a row. */
export function toLogin(row: MauticRow): SecretLogin {
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
