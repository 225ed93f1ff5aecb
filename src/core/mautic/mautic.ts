import type { LoginRules, SecretLogin } from '../../platform/auth/index.ts'
import { mauticRecord } from './mautic-fields.ts'
import type { MauticRow } from './table.ts'

/** A connected Mautic, without its secrets. `roleMap` has ids of our roles, by the name of a role of this Mautic. */
export interface Mautic extends Omit<ReturnType<typeof mauticRecord.toValues>, 'roleMap'> {
  id: number
  roleMap: ReadonlyMap<string, number>
  loginRules: LoginRules
}

/** The brands of the callers of a Mautic. */
export function brandsOf({ brand }: Pick<Mautic, 'brand'>): number[] {
  return brand === undefined ? [] : [brand]
}

export function toMautic(row: MauticRow): Mautic {
  const { roleMap, ...values } = mauticRecord.toValues(row)
  const loginRules = { networks: row.networks, valid_until: row.valid_until }
  return { id: row.id, ...values, roleMap: new Map(Object.entries(roleMap)), loginRules }
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
    brands: brandsOf(toMautic(row)),
    smtpMode: row.smtp_mode ?? undefined,
    mautic: { id, name },
    can: (permission: string) => permissions.has(permission),
  }
  return { caller, secretHash: row.smtp_password_hash, rules: row }
}
