import type { Schema } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'
import { resourceOf } from '../../records/stored.ts'
import { emailWords } from '../../words/emails.ts'

export type Email = Schema<'Email'>

export type Draft = ReturnType<typeof draftOf>

/** What can be changed of an email, as the form has it: empty texts stand for what is not set. */
function draftOf(email: Email | undefined) {
  return {
    name: email?.name ?? '',
    subject: email?.subject ?? '',
    fromName: email?.fromName ?? '',
    fromAddress: email?.fromAddress ?? '',
    replyToAddress: email?.replyToAddress ?? '',
    customHtml: email?.customHtml ?? '',
    plainText: email?.plainText ?? '',
    // Without any header, the API answers an empty list.
    headers: Object.entries(email?.headers ?? {}).map(([label, value]) => ({
      label,
      value: String(value),
    })) as readonly { label: string; value: string }[],
    brand: brandDraft(email),
    isTwig: email?.isTwig ?? false,
    isPublished: email?.isPublished ?? true,
  }
}

/** The values of a draft, as the API takes them. */
export function bodyOf({ brand, ...draft }: Draft) {
  return {
    ...draft,
    ...brandInput(brand),
    fromName: draft.fromName || null,
    fromAddress: draft.fromAddress || null,
    replyToAddress: draft.replyToAddress || null,
    customHtml: draft.customHtml || null,
    plainText: draft.plainText || null,
    headers: { list: draft.headers.filter(({ label, value }) => label !== '' || value !== '') },
  }
}

export const emails = resourceOf('email', {
  path: '/emails',
  area: 'email',
  kind: 'emails',
  texts: emailWords,
  nameOf: ({ name }) => name,
  draftOf,
  inputOf: bodyOf,
})
