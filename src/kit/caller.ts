import type { SmtpMode } from './smtp-mode.ts'

/** The authenticated caller: a user, or an OAuth client that acts for itself. */
export interface Caller {
  /** Undefined for a client that acts for itself. */
  readonly userId: number | undefined
  /** The id of the client that acts for itself. */
  readonly clientId?: number
  /** The user name that a Mautic gives to a client of its own, which has no id. */
  readonly clientName?: string | undefined
  /** The name for `createdBy`: "Ada Admin", the user name of a user without names, or the client's name. */
  readonly name: string
  readonly email: string | undefined
  /** Where a request comes from. */
  readonly address?: string
  readonly isAdmin: boolean
  /** Whose records and messages the caller reaches. */
  readonly brands: Brands
  /** What 250 means to its SMTP clients. Default: the setting. */
  readonly smtpMode?: SmtpMode | undefined
  /** The Mautic that the caller comes from: ids of emails, users and contacts are that Mautic's. Default: Mailyard's own. */
  readonly mautic?: CallerMautic | undefined
  /** Whether the caller's role grants `area:level`, such as `multipleTransports:edit`. */
  can(permission: string): boolean
}

/** All brands, and what belongs to none; or the brands with these ids. An empty list: only what belongs to none. */
export type Brands = 'all' | readonly number[]

/** Stands for the id of a brand where there is none. */
export const noBrand = 0

/** Whether what belongs to a brand is the caller's own: they may change it, and read its messages. */
export function owns({ brands }: Pick<Caller, 'brands'>, brand: number): boolean {
  return brands === 'all' || brands.includes(brand)
}

/** Whether what belongs to a brand exists for the caller: their own, and what belongs to none. */
export function sees(caller: Pick<Caller, 'brands'>, brand: number): boolean {
  return brand === noBrand || owns(caller, brand)
}

/** A record that may belong to a brand. */
export interface OfBrand {
  /** `noBrand` for none: all brands use it. */
  brand_id: number
}

/** Whether what is of a brand may use a record; `null`: what has no brand yet, and gets that of the record. */
export function mayUse({ brand_id: owner }: OfBrand, brand: number | null): boolean {
  return owner === noBrand || brand === null || owner === brand
}

/** The name of the caller of commands, which no user or client has: it has no id. */
export const operatorName = 'Operator'

/** A connected Mautic. */
export interface CallerMautic {
  readonly id: number
  readonly name: string
}

/** Identifies a caller across renames: by user or by client, of this installation or of a Mautic. */
export function callerKey({
  userId,
  clientId,
  clientName,
  mautic,
}: Pick<Caller, 'userId' | 'clientId' | 'clientName' | 'mautic'>): string {
  const key = userId === undefined ? `client ${clientId ?? clientName}` : `user ${userId}`
  return mautic === undefined ? key : `mautic ${mautic.id} ${key}`
}

/** The caller's id among the users of this installation; undefined for a client, and for a caller of a Mautic. */
export function ownUserId({ userId, mautic }: Pick<Caller, 'userId' | 'mautic'>) {
  return mautic === undefined ? userId : undefined
}
