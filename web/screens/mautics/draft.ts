import type { Schema } from '../../lib/api.ts'
import { type SmtpModeDraft, smtpModeOf } from '../../records/smtp-mode.ts'

export type Mautic = Schema<'Mautic'>

/** A role of Mautic, and the id of the role here; empty until one is chosen. */
export interface MappedRole {
  theirs: string
  ours: string
}

/** A Mautic as the form shows it. A stored secret is its mask, which keeps it. */
export interface Draft {
  name: string
  url: string
  login: 'user' | 'client'
  username: string
  password: string
  clientId: string
  clientSecret: string
  /** Id; empty for none. */
  transport: string
  smtpMode: SmtpModeDraft
  /** One on each line. */
  hosts: string
  roleMap: readonly MappedRole[]
  isReporting: boolean
  isTagging: boolean
  refusalsTo: string
  isPublished: boolean
}

export const emptyDraft = (): Draft => ({
  name: '',
  url: '',
  login: 'user',
  clientId: '',
  clientSecret: '',
  username: '',
  password: '',
  transport: '',
  smtpMode: 'queue',
  hosts: '',
  roleMap: [],
  isReporting: true,
  isTagging: false,
  refusalsTo: '',
  isPublished: true,
})

export function draftOf(mautic: Mautic): Draft {
  return {
    name: mautic.name,
    url: mautic.url,
    login: mautic.username === null ? 'client' : 'user',
    clientId: mautic.clientId ?? '',
    clientSecret: mautic.clientSecret ?? '',
    username: mautic.username ?? '',
    password: mautic.password ?? '',
    transport: mautic.transportId === null ? '' : String(mautic.transportId),
    smtpMode: mautic.smtpMode ?? '',
    hosts: mautic.hosts.join('\n'),
    roleMap: Object.entries(mautic.roleMap).map(([theirs, ours]) => ({
      theirs,
      ours: String(ours),
    })),
    isReporting: mautic.isReporting,
    isTagging: mautic.isTagging,
    refusalsTo: mautic.refusalsTo ?? '',
    isPublished: mautic.isPublished,
  }
}

/** The values for the API: only those of the chosen log-in. */
export function inputOf(draft: Draft): Schema<'MauticInput'> {
  const isClient = draft.login === 'client'
  const hosts = draft.hosts.split('\n').map((line) => line.trim())
  const roles = draft.roleMap.filter(({ theirs, ours }) => theirs.trim() !== '' && ours !== '')
  return {
    name: draft.name,
    url: draft.url.trim(),
    clientId: isClient ? draft.clientId : null,
    clientSecret: isClient ? draft.clientSecret : null,
    username: isClient ? null : draft.username,
    password: isClient ? null : draft.password,
    transportId: draft.transport === '' ? null : Number(draft.transport),
    smtpMode: smtpModeOf(draft.smtpMode),
    hosts: hosts.filter((host) => host !== ''),
    roleMap: Object.fromEntries(roles.map(({ theirs, ours }) => [theirs.trim(), Number(ours)])),
    isReporting: draft.isReporting,
    isTagging: draft.isTagging,
    refusalsTo: draft.refusalsTo.trim() || null,
    isPublished: draft.isPublished,
  }
}
