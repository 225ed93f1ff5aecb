import { ask, type Schema } from '../../lib/api.ts'
import type { Saved } from '../../lib/use-form.ts'

export type Email = Schema<'Email'>

interface Header {
  label: string
  value: string
}

/** What can be changed of an email, as the form has it: empty texts stand for what is not set. */
export interface Draft {
  name: string
  subject: string
  fromName: string
  fromAddress: string
  replyToAddress: string
  customHtml: string
  plainText: string
  headers: readonly Header[]
  isTwig: boolean
  isPublished: boolean
}

export const emptyDraft: Draft = {
  name: '',
  subject: '',
  fromName: '',
  fromAddress: '',
  replyToAddress: '',
  customHtml: '',
  plainText: '',
  headers: [],
  isTwig: false,
  isPublished: true,
}

export function draftOf(email: Email): Draft {
  return {
    name: email.name,
    subject: email.subject,
    fromName: email.fromName ?? '',
    fromAddress: email.fromAddress ?? '',
    replyToAddress: email.replyToAddress ?? '',
    customHtml: email.customHtml ?? '',
    plainText: email.plainText ?? '',
    headers: headersOf(email),
    isTwig: email.isTwig,
    isPublished: email.isPublished,
  }
}

/** Without any header, the API answers an empty list. */
function headersOf({ headers }: Email): Header[] {
  return Object.entries(headers ?? {}).map(([label, value]) => ({ label, value: String(value) }))
}

export async function loadEmail(id: number): Promise<Saved<Draft>> {
  const { body, etag } = await ask('GET', '/api/emails/{id}', { path: { id } })
  return { draft: draftOf(body.email), etag }
}

/** The values of a draft, as the API takes them. */
export function bodyOf(draft: Draft) {
  return {
    ...draft,
    fromName: draft.fromName || null,
    fromAddress: draft.fromAddress || null,
    replyToAddress: draft.replyToAddress || null,
    customHtml: draft.customHtml || null,
    plainText: draft.plainText || null,
    headers: { list: draft.headers.filter(({ label, value }) => label !== '' || value !== '') },
  }
}

/** Saves what has changed of an email; all of a new one, whose `id` is undefined. */
export async function saveEmail(
  id: number | undefined,
  draft: Draft,
  { etag, changed }: { etag: string | undefined; changed: readonly (keyof Draft)[] },
): Promise<{ email: Email; etag: string | undefined }> {
  const values = bodyOf(draft)
  const body = Object.fromEntries(changed.map((name) => [name, values[name]]))
  const answer =
    id === undefined
      ? await ask('POST', '/api/emails/new', { body: values })
      : await ask('PATCH', '/api/emails/{id}/edit', { path: { id }, body, etag })
  return { email: answer.body.email, etag: answer.etag }
}
