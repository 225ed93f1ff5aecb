import { showBatch } from '../design/show-batch.ts'
import { ask, type Body } from '../lib/api.ts'
import { type BatchSummary, inBatches, partsOf } from '../lib/batch.ts'
import { inOrder } from '../lib/in-order.ts'
import { deletedWords } from '../words/deleted.ts'
import { contactName } from './find.ts'
import type { ListQuery } from './list.tsx'

/** The records that can be restored after their deletion: their address in the API, and their area of permissions. */
export const kinds = {
  transports: { path: '/api/multipleTransports', area: 'multipleTransports' },
  templates: { path: '/api/twigTemplates', area: 'twigtemplates' },
  emails: { path: '/api/emails', area: 'email' },
  contacts: { path: '/api/contacts', area: 'contact' },
} as const

/** A kind of records; the path of its screen has the same name. */
export type Kind = keyof typeof kinds

/** A deleted record, as its list shows it. */
export interface DeletedItem {
  id: number
  name: string
  dateDeleted: string
  deletedBy: string
}

/**
 * Deletes records: with `dryRun` it only says what that would change, with `force` also those in use, and with `erase` for
 * good, also what is deleted already.
 */
export function deleteRecords(
  kind: Kind,
  ids: readonly number[],
  options: { dryRun?: '1'; force?: '1'; erase?: '1' },
): Promise<BatchSummary> {
  const { path } = kinds[kind]
  return inBatches(ids, async (part) => {
    const query = { ...options, ids: part.join(','), fields: 'id' }
    return (await ask('DELETE', `${path}/batch/delete`, { query })).body
  })
}

/** Restores deleted records, and shows what could not be restored with them. */
export async function restoreRecords(kind: Kind, ids: readonly number[]): Promise<void> {
  const { path } = kinds[kind]
  const summary = await inBatches(ids, async (part) => {
    const query = { ids: part.join(','), fields: 'id' }
    return (await ask('POST', `${path}/batch/restore`, { query })).body
  })
  showBatch(deletedWords.restored, summary, {
    tone: summary.messages.length > 0 ? 'warn' : 'good',
  })
}

/** Lists the deleted records of a kind. */
export async function listDeleted(
  kind: Kind,
  asked: ListQuery,
  signal: AbortSignal,
): Promise<{ rows: DeletedItem[]; total: number }> {
  const fields = `${fieldsOf(kind)},dateDeleted,deletedBy`
  const query = { ...asked, deleted: '1', fields }
  const { body, total } = await ask('GET', kinds[kind].path, { query, signal })
  const rows = entriesOf(body).map((entry) => ({
    id: entry.id,
    name: nameOf(entry),
    dateDeleted: entry.dateDeleted ?? '',
    deletedBy: entry.deletedBy ?? '',
  }))
  return { rows: inOrder(rows, asked), total }
}

type ListBody = Body<'GET', (typeof kinds)[Kind]['path']>

/** Finds records by their ids, and by a condition such as `is:published`. */
export async function findRecords(kind: Kind, ids: readonly number[], condition = '') {
  const found: ReturnType<typeof entriesOf>[number][] = []
  for (const part of partsOf(ids)) {
    const search = `ids:${part.join(',')} ${condition}`
    const query = { search, fields: fieldsOf(kind), limit: part.length }
    found.push(...entriesOf((await ask('GET', kinds[kind].path, { query })).body))
  }
  return found
}

const fieldsOf = (kind: Kind) => `id,${kind === 'contacts' ? 'fields' : 'name'}`

/** The records of an answer that lists some of a kind. */
function entriesOf(body: ListBody) {
  if (Array.isArray(body)) return body
  if ('twigTemplates' in body) return body.twigTemplates
  return Object.values('emails' in body ? body.emails : body.contacts)
}

/** Names such a record. */
export function nameOf(entry: ReturnType<typeof entriesOf>[number]): string {
  if ('name' in entry) return entry.name
  const { all } = entry.fields
  return String(all.email || contactName(all) || entry.id)
}
