import type { Body } from '../../lib/api.ts'

export type Transport = Body<'GET', '/api/multipleTransports/{id}'>

/** What can be changed of a transport. */
export interface Draft {
  name: string
  mailerDsn: string
  description: string
  testedEmailFrom: string
  /** The id of the Mautic that it belongs to; empty for none. */
  mautic: string
  isPublished: boolean
}

export const emptyDraft: Draft = {
  name: '',
  mailerDsn: '',
  description: '',
  testedEmailFrom: '',
  mautic: '',
  isPublished: true,
}

/** Returns what can be changed of a transport. */
export function draftOf(transport: Transport): Draft {
  const { name, mailerDsn, isPublished, description, testedEmailFrom, mautic } = transport
  return {
    name,
    mailerDsn,
    isPublished,
    description: description ?? '',
    testedEmailFrom: testedEmailFrom ?? '',
    mautic: mautic === undefined ? '' : String(mautic),
  }
}
